import type { StartData, Step } from '#contract/start.ts'
import { firstStep } from '#web/enroll/flow.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { Draft, FieldName } from '#web/storage.ts'
import { emptyDraft, isSameDraft } from './draft.ts'
import type { Place } from './resume.ts'

/** Why the wizard stays where it is: the next step did not come, or the price did not. */
export type Stop = 'unfetched' | 'unsummed'

type State = {
  step: Step
  draft: Draft
  /** As they were offered with the page, or since. */
  packages: StartData['packages']
  /** By the day the page came, or by today. */
  renews_on: string
  /** Unknown while the server is asked. */
  grand_total: string | undefined
  stop?: Stop | undefined
  /** The field to stand in after a move; the heading otherwise. */
  focus?: FieldName | undefined
  /** The server's messages that led back to this step. */
  refused?: Messages | undefined
  moves: number
  /** The next step, if it stands ready behind this one: made and measured out, and seen by nobody. */
  ahead?: Step | undefined
  /** The step before, hidden, until there is time to take it away. */
  leaving?: Step | undefined
  /** Grows with all that a step shows. Not with a move to the one that stands ready: it need not be made again. */
  version: number
  /** What this browser remembers has been put in. */
  settled: boolean
}

export type Event =
  | { type: 'settled'; step: Step; draft: Draft; grand_total: string | undefined }
  | { type: 'moved'; step: Step; draft: Draft; focus: FieldName | undefined; refused: Messages | undefined }
  | { type: 'readied'; ahead: Step }
  | { type: 'kept'; draft?: Draft; renews_on?: string }
  | { type: 'left' }
  | { type: 'stopped'; draft?: Draft; stop: Stop }
  | { type: 'summed'; grand_total: string }
  | { type: 'offered'; packages: StartData['packages']; draft: Draft }

export function reduce(state: State, event: Event): State {
  const version = state.version + 1
  switch (event.type) {
    case 'settled':
      return { ...state, ...event, version, settled: true }
    case 'moved':
      return { ...state, ...event, ...madeWay(state, event), stop: lasting(state), moves: state.moves + 1 }
    case 'readied':
    case 'kept':
      return { ...state, ...event }
    case 'left':
      return { ...state, leaving: undefined }
    case 'offered':
      return { ...state, stop: undefined, ...event, grand_total: undefined, version }
    default:
      return { ...state, stop: undefined, ...event, version }
  }
}

/** The step that stands ready only comes forward, and the one before it is taken away later: nobody should wait for that. */
const madeWay = ({ step, ahead, stop, version }: State, { step: to, refused }: { step: Step; refused: unknown }) =>
  to === ahead && !stop && !refused
    ? { ahead: undefined, leaving: step, version }
    : { ahead: undefined, leaving: undefined, version: version + 1 }

/** An order without a price stops every step. */
const lasting = ({ stop, grand_total }: State) => (stop === 'unsummed' && grand_total === undefined ? stop : undefined)

/** Where the page begins, as the server rendered it. */
export const begin = ({ start, place }: { start: StartData; place: Place | undefined }): State => {
  const step = firstStep(start.policy, start.product_id !== undefined)
  const draft = emptyDraft(start)
  return {
    step,
    draft,
    packages: start.packages,
    renews_on: start.renews_on,
    grand_total: start.grand_total,
    moves: 0,
    version: 0,
    settled: place?.step === step && isSameDraft(place.draft, draft), // nothing has to be put in
  }
}
