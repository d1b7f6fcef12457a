/** The script of a job's page. */
import { jobKeys } from "../Keys.ts"
import { jobView } from "./JobView.ts"

jobView({ keys: jobKeys })
