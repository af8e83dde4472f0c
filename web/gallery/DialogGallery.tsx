import { useState } from 'react'
import { ask } from '#web/dialog/ask.ts'
import { LegalText } from '#web/dialog/LegalText.tsx'
import type { Question } from '#web/dialog/question.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const document = `<p>Foyer is a membership. Use it honestly, keep your password private, and leave at any time.</p>
${Array.from({ length: 9 }, (_, index) => `<h2>${index + 1}. What we ask of you</h2><p>Please do <strong>not</strong>:</p><ul><li>enroll anyone who has not asked for it;</li><li>send your link in bulk to strangers; or</li><li>use the membership for anything unlawful.</li></ul><p>More at <a href="https://example.com/terms">our terms</a>.</p>`).join('')}
<blockquote>You own everything you add to your office.</blockquote><script>alert('never')</script>`

const examples: Record<string, Question | Question[]> = {
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
  'No icon': { title: 'Thank you', text: 'Your answer has been saved.' },
  'Three answers': {
    title: 'Keep the draft?',
    text: 'It stays in this browser until you close it.',
    icon: 'info',
    confirm: 'Keep',
    deny: true,
    cancel: true,
  },
  'Three long answers': {
    title: 'Which address should we use?',
    text: 'Your bank has a different one.',
    icon: 'warning',
    confirm: 'Use the address my bank has',
    deny: 'Use the address I entered',
    cancel: 'I will check first',
  },
  Light: { title: 'Good morning', text: 'This is the light theme.', icon: 'info', cancel: true, theme: 'light' },
  Dark: { title: 'Good evening', text: 'This is the dark theme.', icon: 'info', cancel: true, theme: 'dark' },
  'Dark error': { title: 'Error', text: 'This is the dark theme.', icon: 'error', theme: 'dark' },
  Timer: { title: 'Code Sent', text: 'This closes by itself.', icon: 'success', timer: 4000 },
  Email: {
    title: 'Where should we send the receipt?',
    text: 'We only send it once.',
    input: { type: 'email', label: 'Email address' },
    confirm: 'Send',
    cancel: true,
  },
  Link: {
    title: 'What is your website?',
    input: { type: 'url', label: 'Website address', value: 'https://' },
    cancel: true,
  },
  Loading: {
    title: 'Send the code again?',
    text: 'This takes two seconds.',
    icon: 'info',
    confirm: 'Send again',
    cancel: true,
    onConfirm: () => wait(2000),
  },
  Failing: {
    title: 'Send the code again?',
    text: 'This will fail.',
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
    { title: 'The first', text: 'Another dialog follows.', icon: 'info' },
    { title: 'The second', text: 'It waited for the first one.', icon: 'success' },
  ],
}

/** Every kind of dialog, and its answer. */
export function DialogGallery() {
  const [answers, setAnswers] = useState<string[]>([])
  const show = async (questions: Question[]) =>
    setAnswers((await Promise.all(questions.map(ask))).map((answer) => JSON.stringify(answer)))
  return (
    <section>
      <h2>Dialogs</h2>
      <div className="gallery-buttons">
        {Object.entries(examples).map(([name, question]) => (
          <button key={name} type="button" className="button quiet" onClick={() => show([question].flat())}>
            {name}
          </button>
        ))}
      </div>
      <output>{answers.join(' ') || 'No answer yet.'}</output>
    </section>
  )
}
