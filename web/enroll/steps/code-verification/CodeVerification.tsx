import { type ReactNode, useState } from 'react'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { ask } from '#web/dialog/ask.ts'
import { codeVerified, fieldMessages, resendIn } from '#web/enroll/steps/dialogs.ts'
import { asked } from '#web/enroll/wizard/rules.ts'
import { StepForm } from '#web/enroll/wizard/StepForm.tsx'
import { useHere } from '#web/enroll/wizard/useIsMounted.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { Field } from '#web/form/Field.tsx'
import { focusField } from '#web/form/focusField.ts'
import { showPhone } from '#web/form/showPhone.ts'
import { useForm } from '#web/form/useForm.ts'
import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { SmsIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { isVerified, noteVerified } from './phoneStatus.ts'
import { useCode } from './useCode.ts'

/** Whether the phone is in the visitor's hand. A number that was confirmed in this tab is not asked again. */
export function CodeVerification({ wizard }: { wizard: Wizard }) {
  const mobile_phone = wizard.draft.mobile_phone ?? ''
  const [verified, setVerified] = useState(() => isVerified(mobile_phone))
  const step = { wizard, mobile_phone }
  return verified ? <Confirmed {...step} /> : <Unconfirmed {...step} onVerified={() => setVerified(true)} />
}

type PhoneStepProps = { wizard: Wizard; mobile_phone: string }

function Confirmed({ wizard, mobile_phone }: PhoneStepProps) {
  const form = useForm({ rules: () => ({}), values: {}, onValid: () => wizard.advance({}) })
  return (
    <StepForm
      wizard={wizard}
      step="CODE_VERIFICATION"
      form={form}
      title="Your phone is confirmed"
      lead="There is nothing more to do here."
    >
      <PhoneNumber wizard={wizard} mobile_phone={mobile_phone} icon={<CheckIcon />}>
        Confirmed
      </PhoneNumber>
    </StepForm>
  )
}

function Unconfirmed({ wizard, mobile_phone, onVerified }: PhoneStepProps & { onVerified: () => void }) {
  const here = useHere()
  const code = useCode(mobile_phone, wizard.start, () => wizard.advance({ code: '' }))
  const [refusal, setRefusal] = useState<string>()
  const form = useForm({
    rules: () => asked.CODE_VERIFICATION,
    values: {},
    serverMessages: wizard.refused,
    onValid: async (typed): Promise<undefined> => {
      const message = await verify(mobile_phone, typed.code)
      if (!here.current) return
      setRefusal(message)
      if (message) {
        focusField('code')
        return
      }
      await ask(codeVerified)
      if (!here.current) return
      await wizard.advance({ code: '' })
      onVerified()
    },
  })
  const field = form.field('code')
  return (
    <StepForm
      wizard={wizard}
      step="CODE_VERIFICATION"
      form={form}
      title="Confirm your phone"
      lead="Enter the code that we send you."
    >
      <PhoneNumber wizard={wizard} mobile_phone={mobile_phone} icon={<SmsIcon />} failure={code.failure}>
        {code.sending === 'call' && 'Calling you…'}
        {code.sending === 'sms' && 'Sending a code…'}
        {!code.sending &&
          (code.asked ? 'Please confirm that you are a person. Then we send the code.' : sentNews(code))}
      </PhoneNumber>
      {code.asked && (
        <Captcha
          key={code.asked.times}
          name="captcha"
          defaultValue=""
          vendor={wizard.start.captcha}
          error={code.asked.times > 1 ? 'Please confirm the captcha.' : undefined}
          used={0}
          busyWhile={form.busyWhile}
          onSolved={(solution) => code.asked && code.send(code.asked.channel, solution)}
        />
      )}
      {/* A refusal is not kept against the code: the same one may be right once the line is back. */}
      <Field
        {...field}
        error={field.error ?? refusal}
        onInput={() => setRefusal(undefined)}
        label="Code"
        hint="From our message. Good for ten minutes."
        autoComplete="one-time-code"
        inputMode="numeric"
        enterKeyHint="done"
      />
      <p className="unseen" role="alert">
        {refusal}
      </p>
      <Resend {...code} />
    </StepForm>
  )
}

const sentNews = ({ sent }: { sent: boolean }) => (sent ? 'We sent a code to this number.' : 'No code was sent yet.')

/** Undefined when the code was right; else the server's message, or ours when it had none. */
async function verify(phone_number: string, code: string): Promise<string | undefined> {
  try {
    const { status, message } = await api.verifyCode({ phone_number, code })
    if (status !== 1) return message || fieldMessages.codeNotVerified
    noteVerified(phone_number)
    return undefined
  } catch (cause) {
    log('The code could not be verified.', cause)
    return cause instanceof RejectedCall ? cause.message : fieldMessages.codeNotVerified
  }
}

type PhoneNumberProps = PhoneStepProps & { icon: ReactNode; failure?: string | undefined; children: ReactNode }

/** The number, what became of its code, and the way to change it. */
function PhoneNumber({ wizard, mobile_phone, icon, failure, children }: PhoneNumberProps) {
  return (
    <div className={failure ? 'number failed' : 'number'}>
      <span className="number-icon">{failure ? <AlertIcon /> : icon}</span>
      <div className="number-text">
        <p className="number-shown">
          <span className="unseen">Mobile phone number: </span>
          {showPhone(mobile_phone)}
        </p>
        <p className="number-news" role="status">
          {failure ?? children}
        </p>
      </div>
      <button type="button" className="link" onClick={() => wizard.returnTo('ACCOUNT', 'mobile_phone')}>
        Edit Phone Number
      </button>
    </div>
  )
}

/** Inactive while the countdown runs; once it has run out, a call is offered too. */
function Resend({ left, sending, sent, send }: ReturnType<typeof useCode>) {
  const rests = left > 0 || Boolean(sending)
  return (
    <div className="resend">
      <button
        type="button"
        className="link"
        aria-disabled={rests || undefined}
        onClick={() => {
          if (!rests) send('sms')
        }}
      >
        {left ? resendIn(left) : 'Resend code'}
      </button>
      {!rests && (
        <button type="button" className="link" onClick={() => send('call')}>
          Call me instead
        </button>
      )}
      <p className="unseen" role="status">
        {sent && !rests && 'You can ask for a new code now.'}
      </p>
    </div>
  )
}
