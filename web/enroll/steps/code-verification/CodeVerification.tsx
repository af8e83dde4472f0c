import { type ReactNode, useRef, useState } from 'react'
import { figures } from '#contract/figures.ts'
import { phoneDigits } from '#contract/phone.ts'
import type { StartData } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { ask } from '#web/dialog/ask.ts'
import { Captcha } from '#web/form/Captcha.tsx'
import { Field, focusField } from '#web/form/Field.tsx'
import { showPhone } from '#web/form/showPhone.ts'
import { type Messages, useForm } from '#web/form/useForm.ts'
import { AlertIcon, CheckIcon } from '#web/icons.tsx'
import { CallIcon, SmsIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { fieldRules } from '../../wizard/rules.ts'
import { StepForm } from '../../wizard/StepForm.tsx'
import { phoneFailureOf, rejectedFieldsAt, type State } from '../../wizard/state.ts'
import { useIsMounted } from '../../wizard/useIsMounted.ts'
import type { Wizard } from '../../wizard/wizard.ts'
import { type CodeSender, createCodeSender } from './codeSender.ts'
import { channelTexts, codeVerified, fieldMessages, resendIn } from './dialogs.ts'
import { noteVerified, type PhoneStore, phoneStatus } from './phoneStatus.ts'
import { usePhoneCode } from './usePhoneCode.ts'

/** The part of the wizard that this step uses. Its code sender lives as long as the page. */
type VerificationStore = Omit<PhoneStore, 'update'> & {
  start: Pick<StartData, 'captcha' | 'policy'>
  update: (change: Partial<Pick<State, 'phones' | 'phoneFailure'>>) => void
  codeSender: CodeSender | undefined
}

type CodeVerificationProps = {
  mobile_phone: string
  phoneStore: VerificationStore
  phoneFailure: string | undefined
  rejectedFields: Messages | undefined
  onNext: Wizard['advance']
  onEdit: Wizard['returnTo']
}

/** Our own captcha needs no visitor, so it is solved before the first code is requested. */
function solveCaptchaAhead(store: VerificationStore) {
  if (!store.start.captcha) codeSenderOf(store).solveAhead()
}

function codeSenderOf(store: VerificationStore): CodeSender {
  store.codeSender ??= createCodeSender({ isOwnCaptcha: !store.start.captcha })
  return store.codeSender
}

/** Verifies the phone number by a code. A number that was verified in this tab needs no second code. */
function CodeVerification(props: CodeVerificationProps) {
  const [isVerified, setVerified] = useState(() => phoneStatus(props.phoneStore, props.mobile_phone).verified === true)
  return isVerified ? <Verified {...props} /> : <Unverified {...props} onVerified={() => setVerified(true)} />
}

function Verified({ mobile_phone, onNext, onEdit }: CodeVerificationProps) {
  const form = useForm({ rules: () => ({}), values: {}, onValid: () => onNext({}) })
  return (
    <StepForm
      step="CODE_VERIFICATION"
      form={form}
      title="Your phone is confirmed"
      lead="You can continue to the next step."
    >
      <PhoneNumber mobile_phone={mobile_phone} onEdit={onEdit} icon={<CheckIcon />}>
        Confirmed
      </PhoneNumber>
    </StepForm>
  )
}

type UnverifiedProps = CodeVerificationProps & { onVerified: () => void }

function Unverified(props: UnverifiedProps) {
  const { mobile_phone, phoneStore, phoneFailure, rejectedFields, onNext, onEdit, onVerified } = props
  const isMounted = useIsMounted()
  const goOn = () => onNext({ code: '' })
  const code = usePhoneCode({
    mobile_phone,
    phoneStore,
    lastChannel: phoneStore.codeSender?.channelOf(mobile_phone),
    prepareFirstSend: () => solveCaptchaAhead(phoneStore),
    sendCode: (channel, captcha) => codeSenderOf(phoneStore).send(channel, mobile_phone, captcha),
    onFailure: (message) => phoneStore.update({ phoneFailure: message ? { mobile_phone, message } : undefined }),
    onNotNeeded: goOn,
  })
  const { captchaRequest } = code
  const fieldRef = useRef<HTMLInputElement>(null)
  const [codeError, setCodeError] = useState<string>()
  const form = useForm({
    rules: () => fieldRules.CODE_VERIFICATION,
    values: {},
    serverMessages: rejectedFields,
    onValid: async (values): Promise<undefined> => {
      const error = await verify(mobile_phone, values.code)
      if (!error) noteVerified(phoneStore, mobile_phone)
      if (!isMounted.current) return
      setCodeError(error)
      if (error) {
        focusField('code')
        fieldRef.current?.select() // the next digit replaces the wrong code
        return
      }
      await ask(codeVerified)
      if (!isMounted.current) return
      await goOn()
      onVerified()
    },
  })
  const field = form.field('code')
  const submitOnce = useSubmitOnce()
  return (
    <StepForm step="CODE_VERIFICATION" form={form} title="Confirm your phone" lead={channelTexts[code.channel].lead}>
      <PhoneNumber
        mobile_phone={mobile_phone}
        onEdit={onEdit}
        icon={(code.sending ?? code.channel) === 'call' ? <CallIcon /> : <SmsIcon />}
        failure={phoneFailure}
      >
        {sendingStatus(code)}
      </PhoneNumber>
      {captchaRequest && (
        <Captcha
          key={captchaRequest.count}
          name="captcha"
          defaultValue=""
          vendor={phoneStore.start.captcha}
          error={captchaRequest.count > 1 ? 'Please confirm the captcha.' : undefined}
          usedCount={0}
          queueWhile={form.queueWhile}
          onSolved={(solution) => code.send(captchaRequest.channel, solution)}
        />
      )}
      {/* Not a server message of the form: the same code may work once the connection is back. */}
      <Field
        {...field}
        error={field.error ?? codeError}
        ref={fieldRef}
        onInput={({ currentTarget }) => {
          setCodeError(undefined)
          submitOnce(currentTarget)
        }}
        label="Code"
        hint={`${figures.code_length} digits, checked as soon as you’ve entered them. The code expires after 10 minutes.`}
        autoComplete="one-time-code"
        inputMode="numeric"
        enterKeyHint="done"
      />
      <p className="unseen" role="status">
        {form.busy && 'Checking the code…'}
      </p>
      <p className="unseen" role="alert">
        {codeError}
      </p>
      <Resend {...code} offersCall={phoneStore.start.policy.voice_call === true} />
    </StepForm>
  )
}

type PhoneCode = ReturnType<typeof usePhoneCode>

function sendingStatus({ sending, captchaRequest, isSent, channel, secondsLeft }: PhoneCode): string {
  if (sending) return channelTexts[sending].sending
  if (captchaRequest) return 'Please confirm that you’re not a robot, and we’ll send the code.'
  if (!isSent) return 'No code has been sent yet.'
  return channelTexts[channel][secondsLeft ? 'arriving' : 'sent']
}

/** Presses Next when the field holds a complete code, once for each code: a wrong one is not sent again by itself. */
function useSubmitOnce() {
  const submitted = useRef('')
  return (field: HTMLInputElement) => {
    const code = phoneDigits(field.value)
    if (!isCompleteCode(code) || code === submitted.current) return
    submitted.current = code
    field.form?.requestSubmit(field.form.querySelector<HTMLButtonElement>('[type=submit]'))
  }
}

const isCompleteCode = (code: string) => code.length === figures.code_length && /^\d+$/.test(code)

/** Undefined if the code is correct; otherwise an error message. */
async function verify(phone_number: string, code: string): Promise<string | undefined> {
  try {
    const { status, message } = await api.verifyCode({ phone_number, code })
    return status === 1 ? undefined : message || fieldMessages.codeNotVerified
  } catch (cause) {
    log('The code could not be verified.', cause)
    return cause instanceof RejectedCall ? cause.message : fieldMessages.codeNotVerified
  }
}

type PhoneNumberProps = Pick<CodeVerificationProps, 'mobile_phone' | 'onEdit'> & {
  icon: ReactNode
  failure?: string | undefined
  children: ReactNode
}

function PhoneNumber({ mobile_phone, onEdit, icon, failure, children }: PhoneNumberProps) {
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
      <button type="button" className="link" onClick={() => onEdit('ACCOUNT', 'mobile_phone')}>
        Edit Phone Number
      </button>
    </div>
  )
}

/** Inactive during the countdown. Afterwards the other way to get a code is offered too, if the operator wants calls. */
function Resend({ secondsLeft, sending, isSent, channel, send, offersCall }: PhoneCode & { offersCall: boolean }) {
  const isInactive = secondsLeft > 0 || Boolean(sending)
  const texts = channelTexts[channel]
  const other = channel === 'sms' ? 'call' : 'sms'
  return (
    <div className="resend">
      <button
        type="button"
        className="link"
        aria-disabled={isInactive || undefined}
        onClick={() => {
          if (!isInactive) send(channel)
        }}
      >
        {secondsLeft ? resendIn(secondsLeft) : texts.again}
      </button>
      {offersCall && !isInactive && (
        <button type="button" className="link" onClick={() => send(other)}>
          {channelTexts[other].instead}
        </button>
      )}
      <p className="unseen" role="status">
        {isSent && !isInactive && texts.mayRepeat}
      </p>
    </div>
  )
}

export const codeVerification = defineStep(
  CodeVerification,
  (wizard, state) => ({
    mobile_phone: state.draft.mobile_phone ?? '',
    phoneStore: wizard,
    phoneFailure: phoneFailureOf(state),
    rejectedFields: rejectedFieldsAt('CODE_VERIFICATION', state),
    onNext: wizard.advance,
    onEdit: wizard.returnTo,
  }),
  solveCaptchaAhead,
)
