import { CheckIcon } from '#web/icons.tsx'

/** Room for what went well, so that ears hear it when it comes. */
export const Told = ({ children }: { children: string | undefined }) => (
  <div role="status">
    {children && (
      <p className="told">
        <CheckIcon />
        {children}
      </p>
    )}
  </div>
)
