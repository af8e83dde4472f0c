import { flowOrder } from '../flow.ts'
import type { Steps } from '../steps.ts'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

type StepStackProps = { wizard: Wizard; steps: Steps; state: State }

/** The step on screen. The pre-rendered next step and the step that was just left are in the document too, hidden. */
export const StepStack = ({ wizard, steps, state }: StepStackProps) =>
  flowOrder
    .filter((step) => step === state.step || step === state.preRenderedStep || step === state.leavingStep)
    .map((step) => (
      <div
        key={`${step}${state.takeOvers}`}
        className={step === state.preRenderedStep ? 'step pre-rendered' : 'step'}
        hidden={step === state.leavingStep}
      >
        {steps.render(step, wizard, state)}
      </div>
    ))
