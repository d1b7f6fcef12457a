/** Entry script of a job's page in review. */
import { reviewKeys } from "../parts/KeyBindings.ts"
import { ApprovalMarks } from "./review/ApprovalMarks.ts"
import { ChangeHistory } from "./review/ChangeHistory.ts"
import { Delivering } from "./review/DeliveryStatus.ts"
import { AcceptedLines } from "./review/AcceptedLines.ts"
import { EditBox } from "./review/EditBox.ts"
import { SpeakerVoices } from "./review/SpeakerVoices.ts"
import { listenToStaleOverrides } from "./review/StaleOverrides.ts"
import { jobView } from "./JobView.ts"

listenToStaleOverrides()
const delivering = new Delivering(() => view.player.renew())
const approvals = new ApprovalMarks(
  () => {
    view.remark()
    void delivering.watch()
  },
  (error) => delivering.fail(error)
)
const history = new ChangeHistory(delivering, (standing) => approvals.adopt(standing))
const view = jobView({
  keys: reviewKeys,
  approvals: {
    decorate: (row, cue) => approvals.decorate(row, cue),
    passes: (cue, filter) => approvals.passes(cue, filter),
    follow: (cue) => approvals.follow(cue),
    toggle: (cue) => approvals.toggle(cue),
    toggleJob: () => approvals.toggleJob()
  },
  undo: (step) => {
    accepted.clear()
    void history.go(step)
  },
  edit: (cue, row) => box.open(cue.index, row),
  voices: (speaker) => void speakerVoices.open(speaker)
})
const accepted = new AcceptedLines(view.player, view.media)
delivering.hear(({ state }) => {
  if (state === "delivered") accepted.settle()
})
const box = new EditBox(view, accepted, () => void delivering.watch())
const speakerVoices = new SpeakerVoices(() => {
  accepted.clear()
  void delivering.watch()
})
