import { useState } from 'react'
import { ask, type Question } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const document = `<p>Foyer is a membership. Use it honestly, keep your password to yourself, and leave whenever you like.</p>
${Array.from({ length: 9 }, (_, index) => `<h2>${index + 1}. What we ask of you</h2><p>Please do <strong>not</strong>:</p><ul><li>enroll somebody who has not asked to be enrolled;</li><li>send your link in bulk to people who do not know you; or</li><li>use the membership for anything unlawful.</li></ul><p>More at <a href="https://example.com/terms">our terms</a>.</p>`).join('')}
<blockquote>What you put into your office stays yours.</blockquote><script>alert('never')</script>`

const questions: Record<string, Question | Question[]> = {
  Error: {
    title: 'Payment Declined',
    text: 'Your payment has been declined. Please check your payment details and try again.',
    icon: 'error',
  },
  Info: {
    title: 'Please be informed that Juniper, Fern & Daughters’s website is currently inactive',
    icon: 'info',
    confirm: 'Click here and sign up on our main website.',
    mayDismiss: false,
  },
  Success: {
    title: 'Code Sent',
    text: 'Verification code has been successfully sent to your phone.',
    icon: 'success',
  },
  Warning: {
    title: 'Leave without paying?',
    text: 'What you entered is kept in this tab. Nothing has been charged.',
    icon: 'warning',
    confirm: 'Leave',
    cancel: 'Stay',
  },
  'No icon': { title: 'Thank you', text: 'We have written it down.' },
  'Three answers': {
    title: 'Keep the draft?',
    text: 'It stays in this browser until you close it.',
    icon: 'info',
    confirm: 'Keep',
    deny: true,
    cancel: true,
  },
  'Three long answers': {
    title: 'Which address shall we use?',
    text: 'Your bank knows another one.',
    icon: 'warning',
    confirm: 'Use the address that my bank knows',
    deny: 'Use the address that I entered',
    cancel: 'I will look it up first',
  },
  Dark: { title: 'Good evening', text: 'The lamps are lit.', icon: 'info', cancel: true, theme: 'dark' },
  'Dark error': { title: 'Error', text: 'The lamps are out.', icon: 'error', theme: 'dark' },
  Timer: { title: 'Code Sent', text: 'This goes by itself.', icon: 'success', timer: 4000 },
  Email: {
    title: 'Where shall we send the receipt?',
    text: 'We send it once.',
    input: { type: 'email', label: 'Email address' },
    confirm: 'Send',
    cancel: true,
  },
  Link: {
    title: 'Where do you write?',
    input: { type: 'url', label: 'Address of your page', value: 'https://' },
    cancel: true,
  },
  Loading: {
    title: 'Send the code again?',
    text: 'It takes two seconds.',
    icon: 'info',
    confirm: 'Send again',
    cancel: true,
    onConfirm: () => wait(2000),
  },
  Failing: {
    title: 'Send the code again?',
    text: 'It will not work.',
    icon: 'info',
    confirm: 'Send again',
    cancel: true,
    onConfirm: async () => {
      await wait(600)
      throw new Error('An error occurred while sending the verification code. Please try again.')
    },
  },
  'Legal document': { title: 'Terms of Membership', body: <LegalText html={document} />, confirm: 'Close' },
  'Long words': {
    title: 'A'.repeat(80),
    text: `<b>Not markup</b> ${'https://example.com/'.repeat(12)}\nA second line.`,
    icon: 'error',
  },
  'Two in a row': [
    { title: 'The first', text: 'Another one is waiting.', icon: 'info' },
    { title: 'The second', text: 'It waited for the first.', icon: 'success' },
  ],
}

/** Every kind of dialog, and what came back. */
export function DialogGallery() {
  const [answers, setAnswers] = useState<string[]>([])
  const show = async (asked: Question[]) =>
    setAnswers((await Promise.all(asked.map(ask))).map((answer) => JSON.stringify(answer)))
  return (
    <section>
      <h2>Dialogs</h2>
      <div className="gallery-buttons">
        {Object.entries(questions).map(([name, question]) => (
          <button key={name} type="button" className="button quiet" onClick={() => show([question].flat())}>
            {name}
          </button>
        ))}
      </div>
      <output>{answers.join(' ') || 'No answer yet.'}</output>
    </section>
  )
}
