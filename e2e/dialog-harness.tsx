// Bundled by spec-dialogs.spec.ts and run in a browser: shows any dialog on any page.
import { openDialog } from '../web/dialog/openDialog.tsx'
import type { Question } from '../web/dialog/question.ts'

export const answerTo = (question: Question) => openDialog(question)

/** A dialog whose action ends when `finishAction` is called. */
export const answerAfterAction = (question: Question) =>
  openDialog({
    ...question,
    onConfirm: () => new Promise((resolve) => Object.assign(window, { finishAction: resolve })),
  })
