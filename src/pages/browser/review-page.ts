/** Entry script of a job's page in review. */
import { reviewKeys } from "../parts/KeyBindings.ts"
import { ChangeHistory } from "./review/ChangeHistory.ts"
import { Delivering } from "./review/DeliveryStatus.ts"
import { EditBox } from "./review/EditBox.ts"
import { listenToStaleOverrides } from "./review/StaleOverrides.ts"
import { jobView } from "./JobView.ts"

listenToStaleOverrides()
const delivering = new Delivering()
const history = new ChangeHistory(delivering)
const view = jobView({
  keys: reviewKeys,
  undo: (step) => void history.go(step),
  edit: (cue, row) => box.open(cue.index, row)
})
const box = new EditBox(view, () => void delivering.watch())
