import { useActionState } from 'react'
import { AccountIcon, ArrowIcon, BillingIcon } from './icons.jsx'
import { PhoneField } from './PhoneField.jsx'
import { findErrors } from './rules.js'
import { TextField } from './TextField.jsx'

const stages = [
  { label: 'About Yourself', Icon: AccountIcon },
  { label: 'Account Creation', Icon: AccountIcon },
  { label: 'Billing & Checkout', Icon: BillingIcon },
]

const begin = { step: 0, answers: {}, errors: {} }

function answer(state, data) {
  if (data.get('pressed') === 'previous') return { ...state, step: 0 }
  if (state.step === 1) return state
  const answers = Object.fromEntries(data)
  const errors = findErrors(answers)
  return { step: Object.keys(errors).length ? 0 : 1, answers, errors }
}

/** The first two steps of the wizard. `side` is shown between the progress indicator and the form. */
export function Wizard({ side }) {
  const [{ step, answers, errors }, submit] = useActionState(answer, begin)
  const Step = [Account, AccountCreation][step]
  return (
    <div className="enroll">
      <section className="indicator" aria-label="Progress">
        <p className="unseen" id="progress">
          Step {step + 1} of {stages.length}
        </p>
        <ol>
          {stages.map(({ label, Icon }, index) => (
            <li
              key={label}
              className={index <= step ? 'active' : undefined}
              aria-current={index === step ? 'step' : undefined}
            >
              <Icon />
              {index === step ? <b>{label}</b> : <span>{label}</span>}
            </li>
          ))}
        </ol>
      </section>
      {side}
      <main className="main">
        <Step answers={answers} errors={errors} submit={submit} />
      </main>
    </div>
  )
}

function Account({ answers, errors, submit }) {
  const field = (name) => ({ name, defaultValue: answers[name] ?? '', error: errors[name] })
  return (
    <>
      <h1 id="heading">Tell us about yourself</h1>
      <p className="lead">Takes about two minutes. You can go back without losing anything.</p>
      <form id="step" noValidate action={submit}>
        <div className="pair">
          <TextField {...field('first_name')} label="First name" autoComplete="given-name" />
          <TextField {...field('last_name')} label="Last name" autoComplete="family-name" />
        </div>
        <TextField {...field('business_name')} label="Company name" optional autoComplete="organization" />
        <PhoneField
          {...field('mobile_phone')}
          label="Mobile phone number"
          hint="So we can contact you about your membership. We never share it."
        />
        <div className="actions">
          <button type="submit" className="button">
            Next
            <ArrowIcon />
          </button>
        </div>
      </form>
    </>
  )
}

function AccountCreation({ submit }) {
  return (
    <>
      <h1 id="heading">Create your account</h1>
      <p className="lead">You’ll use this to sign in to your office.</p>
      <form id="step" noValidate action={submit}>
        <TextField
          name="email"
          label="Email address"
          type="email"
          autoComplete="email"
          hint="We’ll send your receipt and a welcome email here."
        />
        <TextField
          name="username"
          label="Username"
          autoComplete="username"
          hint="Lowercase letters and numbers. It’s also part of the link you share."
        />
        <TextField name="password" label="Password" type="password" autoComplete="new-password" />
        <div className="actions">
          <button type="submit" className="button quiet" name="pressed" value="previous">
            Previous
          </button>
          <button type="submit" className="button">
            Next
            <ArrowIcon />
          </button>
        </div>
      </form>
    </>
  )
}
