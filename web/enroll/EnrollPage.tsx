import type { StartData } from '#contract/start.ts'
import { Header } from '#web/Header.tsx'
import { Offline } from '#web/Offline.tsx'
import { Arrival } from './ArrivalNotice.tsx'
import { OrderSummary } from './order/OrderSummary.tsx'
import { Indicator } from './ProgressIndicator.tsx'
import { SponsorCard } from './SponsorCard.tsx'
import type { Place } from './wizard/resume.ts'
import { Stage } from './wizard/StepContainer.tsx'
import { useWizard } from './wizard/wizard.ts'

/** The route /{sponsor_site}: the frame around one step. `place` is known in the browser only. */
export function EnrollPage({ start, place }: { start: StartData; place?: Place }) {
  const wizard = useWizard(start, place)
  const { autoship, special } = start.policy
  return (
    <div className="page">
      <Header note="Encrypted. We never store your card." />
      <Offline />
      <div className="enroll">
        <Indicator currentStep={wizard.step} show_autoship={autoship} show_special={special} />
        <aside className="side" aria-label="Your order">
          <div className="card">
            <OrderSummary wizard={wizard} />
            <SponsorCard sponsor={start.sponsor} />
          </div>
          {start.test_payments && <p className="test-note">Test mode: no card is charged.</p>}
        </aside>
        <main className="main">
          <Arrival start={start} />
          {wizard.stages.map((step) => (
            <Stage key={step} step={step} wizard={wizard} />
          ))}
        </main>
      </div>
    </div>
  )
}
