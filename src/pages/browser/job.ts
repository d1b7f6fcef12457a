/** The script of a job's page. */
import { jobView } from "./JobView.ts"

jobView()
