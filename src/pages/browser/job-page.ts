/** Entry script of a job's page. */
import { jobKeys } from "../parts/KeyBindings.ts"
import { jobView } from "./JobView.ts"

jobView({ keys: jobKeys })
