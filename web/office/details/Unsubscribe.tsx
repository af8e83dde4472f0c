import type { OfficeStart } from '#contract/pages.ts'
import { SignedOutFrame } from '../sign-in/SignedOutFrame.tsx'

type UnsubscribeStart = Extract<OfficeStart, { screen: 'unsubscribe' }>

/** Opened from the email about a new referral. A plain form, which works without a script. */
export const Unsubscribe = ({ state }: Pick<UnsubscribeStart, 'state'>) => screens[state]

const screens = {
  ask: (
    <SignedOutFrame
      isPlain
      title="Stop these emails?"
      lead="We’ll no longer email you when someone joins through your link. You can turn the emails on again in your office."
    >
      <form method="post" action="">
        <button type="submit" className="button">
          Stop these emails
        </button>
      </form>
    </SignedOutFrame>
  ),
  done: (
    <SignedOutFrame
      isPlain
      title="You won’t get these emails anymore"
      lead="You can turn them on again in your office. Your office always shows everyone who joined through you."
    />
  ),
  invalid: (
    <SignedOutFrame
      isPlain
      title="This link is incomplete"
      lead="Open the link from your email again, or turn the emails off in your office."
    />
  ),
}
