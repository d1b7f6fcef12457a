/** The script of a job's page in review. */
import { reviewKeys } from "../Keys.ts"
import { Delivering } from "./Delivering.ts"
import { EditBox } from "./EditBox.ts"
import { listenToIdleChanges } from "./IdleChanges.ts"
import { jobView } from "./JobView.ts"

listenToIdleChanges()
const delivering = new Delivering()
const box = new EditBox(() => void delivering.watch())
jobView({ keys: reviewKeys, edit: (cue, row) => box.open(cue.index, row) })
