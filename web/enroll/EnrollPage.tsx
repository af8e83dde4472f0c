import { Header } from '#web/Header.tsx'
import { Offline } from '#web/ui/Offline.tsx'
import { ArrivalNotice } from './ArrivalNotice.tsx'
import { OrderSummary } from './order/OrderSummary.tsx'
import { ProgressIndicator } from './ProgressIndicator.tsx'
import { SponsorCard } from './SponsorCard.tsx'
import type { Steps } from './steps.ts'
import { useBrowserHistory, useFocus, useResume } from './wizard/effects.ts'
import { StepStack } from './wizard/StepStack.tsx'
import { usePreparedStep } from './wizard/usePreparedStep.ts'
import { useWizardState, WizardProvider } from './wizard/useWizard.ts'
import type { Wizard } from './wizard/wizard.ts'

/** The route /{sponsor_site}: the frame around one step. */
export function EnrollPage({ wizard, steps }: { wizard: Wizard; steps: Steps }) {
  const { start } = wizard
  const { policy } = start
  const sponsor = start.sponsor.active === 'Yes' && start.sponsor
  const state = useWizardState(wizard, (state) => state)
  useBrowserHistory(wizard)
  useResume(wizard, steps, state)
  useFocus(state)
  usePreparedStep(wizard, steps, state)
  return (
    <WizardProvider value={wizard}>
      <div className="page">
        <Header site={start.sponsor.site} note="Encrypted. We never store your card." isTest={start.test_payments} />
        <Offline />
        <div className="enroll">
          {sponsor && (
            <>
              <ProgressIndicator
                currentStep={state.step}
                show_autoship={policy.autoship}
                show_special={policy.special}
              />
              <aside className="side" aria-label="Your order">
                <div className="card">
                  <OrderSummary
                    step={state.step}
                    draft={state.draft}
                    packages={state.packages}
                    renews_on={state.renews_on}
                    grand_total={state.grand_total}
                    hasFailed={state.stop === 'total-not-loaded'}
                    sponsor={sponsor}
                    policy={policy}
                    onChange={wizard.returnTo}
                  />
                  <SponsorCard {...sponsor} />
                </div>
              </aside>
            </>
          )}
          <main className="main">
            <ArrivalNotice start={start} />
            {sponsor && <StepStack wizard={wizard} steps={steps} state={state} />}
          </main>
        </div>
      </div>
    </WizardProvider>
  )
}
