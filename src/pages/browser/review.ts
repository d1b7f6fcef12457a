/** The script of a job's page in review. */
import { reviewKeys } from "../Keys.ts"
import { EditBox } from "./EditBox.ts"
import { listenToIdleChanges } from "./IdleChanges.ts"
import { jobView } from "./JobView.ts"

listenToIdleChanges()
const box = new EditBox()
jobView({ keys: reviewKeys, edit: (cue, row) => box.open(cue.index, row) })
