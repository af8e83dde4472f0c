import type { Step } from '#contract/start.ts'
import { AccountIcon, BillingIcon } from '#web/icons.tsx'

/** The steps on which each of the three is active, and the one on which its label is bold. */
const phases: { label: string; icon: typeof AccountIcon; active: Step[]; bold: Step }[] = [
  {
    label: 'About Yourself',
    icon: AccountIcon,
    active: ['ACCOUNT', 'CODE_VERIFICATION', 'ACCOUNT_CREATION', 'PAYMENT'],
    bold: 'ACCOUNT',
  },
  { label: 'Account Creation', icon: AccountIcon, active: ['ACCOUNT_CREATION', 'PAYMENT'], bold: 'ACCOUNT_CREATION' },
  { label: 'Billing & Checkout', icon: BillingIcon, active: ['PAYMENT'], bold: 'PAYMENT' },
]

/** show_autoship and show_special have no visible effect, as the spec says. */
type ProgressIndicatorProps = { currentStep: Step; show_autoship: boolean; show_special: boolean }

/** How far the visitor has come. Not clickable. The style sheet fills a part of the next bar on the steps between. */
export function ProgressIndicator({ currentStep }: ProgressIndicatorProps) {
  const reached = phases.filter(({ active }) => active.includes(currentStep)).length
  return (
    <section className="indicator" aria-label="Progress" data-step={currentStep}>
      {reached > 0 && (
        <p className="unseen" id="progress">
          Step {reached} of {phases.length}
        </p>
      )}
      <ol>
        {phases.map(({ label, icon: Icon, active, bold }) => (
          <li
            key={label}
            className={active.includes(currentStep) ? 'active' : undefined}
            aria-current={bold === currentStep ? 'step' : undefined}
          >
            <Icon />
            {bold === currentStep ? <b>{label}</b> : <span>{label}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
