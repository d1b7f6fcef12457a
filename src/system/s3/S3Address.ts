/** Whether a path is the address of objects in S3: `s3://BUCKET/NAME`. */
export const isS3Address = (path: string): boolean => path.startsWith("s3://")
