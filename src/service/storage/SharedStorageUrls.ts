/** The addresses of the storage that replicas of the service share. */
import type { Redacted } from "effect"

/** A PostgreSQL database, and a place in S3. */
export interface SharedStorageUrls {
  /** Such as `postgres://user@host/database`. */
  readonly database: Redacted.Redacted<string>
  /** Such as `s3://bucket/prefix`. */
  readonly files: string
}
