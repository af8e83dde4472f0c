import { CheckIcon } from '#web/icons.tsx'

/** Always rendered, even when empty, so that screen readers announce the message when it appears. */
export const SuccessNotice = ({ message }: { message: string | undefined }) => (
  <div role="status">
    {message && (
      <p className="success">
        <CheckIcon />
        {message}
      </p>
    )}
  </div>
)
