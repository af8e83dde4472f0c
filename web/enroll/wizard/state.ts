import type { StartData, Step } from '#contract/start.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { Draft, FieldName, PhoneStatuses, Receipt } from '#web/storage.ts'
import { firstStep } from '../flow.ts'
import { preselectedOrder } from '../order/order.ts'
import type { PaymentNews } from '../steps/payment/outcome.ts'
import { isSameDraft } from './draft.ts'

/** Why the wizard cannot go on. */
export type Stop = 'offline' | 'step-not-loaded' | 'total-not-loaded'

/** Where a visitor resumes, and what this browser has stored. Known in the browser only. */
export type ResumePoint = {
  step: Step
  draft: Draft
  phones: PhoneStatuses
  receipt: Receipt | undefined
  /** The visitor was on PAYMENT. */
  isPasswordLost?: boolean
}

export type State = {
  step: Step
  draft: Draft
  /** The draft that the fields on the page were rendered with. */
  renderedDraft: Draft
  packages: StartData['packages']
  renews_on: StartData['renews_on']
  /** Undefined while the server calculates it. */
  grand_total: string | undefined
  stop?: Stop | undefined
  /** The field to focus after a move; the heading if undefined. */
  focusField?: FieldName | undefined
  /** The server's messages that led back to this step. */
  rejectedFields?: Messages | undefined
  /** How often the step has changed. */
  moves: number
  /** The next step, if it is rendered already, hidden behind this one. */
  preRenderedStep?: Step | undefined
  /** The previous step, hidden until the browser is idle. */
  leavingStep?: Step | undefined
  /** How often another tab's answers have replaced those on the page. */
  takeOvers?: number | undefined
  /** The stored answers are on the page. */
  isResumed: boolean
  phones: PhoneStatuses
  /** Why the last code could not be sent. Shown beside the number, and on ACCOUNT until the visitor goes on. */
  phoneFailure?: { mobile_phone: string; message: string } | undefined
  /** A reload on PAYMENT led back to the password, which is never stored. */
  isPasswordLost?: boolean | undefined
  /** What this page asked to pay for, from Confirm and Pay until it is declined. */
  receipt: Receipt | undefined
  /** The visitor was told that a payment, possibly another tab's, is being checked, but not yet how it ended. */
  isPaymentBeingChecked?: boolean | undefined
  /** The reference of a payment whose answer was lost for good. */
  unknownPayment?: string | undefined
  /** The visitor was warned about it, and wants to pay again. */
  isTryingAgain?: boolean | undefined
  paymentNews?: PaymentNews | undefined
  /** The username of the person who has joined in another tab. */
  joinedAs?: string | undefined
}

/** The state that the server rendered. It ignores what the browser has stored, because hydration must match the HTML. */
export function initialState(start: StartData, resumePoint: ResumePoint | undefined): State {
  const step = firstStep(start.policy, start.product_id !== undefined)
  const draft = preselectedOrder(start)
  return {
    step,
    draft,
    renderedDraft: draft,
    packages: start.packages,
    renews_on: start.renews_on,
    grand_total: start.grand_total,
    moves: 0,
    isResumed: resumePoint?.step === step && isSameDraft(resumePoint.draft, draft),
    phones: resumePoint?.phones ?? {},
    isPasswordLost: resumePoint?.isPasswordLost,
    receipt: resumePoint?.receipt,
    isPaymentBeingChecked: resumePoint?.receipt?.is_awaited,
  }
}

/** A move to a step, and optionally to a field. */
export type Move = Pick<State, 'step' | 'draft' | 'focusField' | 'rejectedFields'>

/** Shows another step. A pre-rendered one is only revealed, and the step before it is removed later. */
export function moveTo(state: State, move: Move): State {
  const isPreRendered = move.step === state.preRenderedStep && !state.stop && !move.rejectedFields
  return {
    ...state,
    focusField: undefined,
    rejectedFields: undefined,
    phoneFailure: state.step === 'ACCOUNT' ? undefined : state.phoneFailure,
    ...move,
    moves: state.moves + 1,
    stop: state.stop === 'total-not-loaded' && state.grand_total === undefined ? state.stop : undefined,
    preRenderedStep: undefined,
    leavingStep: isPreRendered ? state.step : undefined,
    renderedDraft: isPreRendered ? state.renderedDraft : move.draft,
  }
}

/** The server's messages, if they are about this step. */
export const rejectedFieldsAt = (step: Step, state: State): Messages | undefined =>
  state.step === step ? state.rejectedFields : undefined

/** Why no code could be sent to the number in the draft. */
export const phoneFailureOf = ({ draft, phoneFailure }: State): string | undefined =>
  phoneFailure?.mobile_phone === draft.mobile_phone ? phoneFailure?.message : undefined
