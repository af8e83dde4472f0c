import { CopyText } from './CopyText.tsx'

/** They are shown once. */
export const RecoveryCodes = ({ codes, onDone }: { codes: string[]; onDone: () => void }) => (
  <>
    <p className="small">Store them in your password manager, or print them. They cannot be shown again.</p>
    <CopyText text={codes.join('\n')} label="Copy the codes" />
    <div className="form-actions">
      <button type="button" className="button" onClick={onDone}>
        I have stored them
      </button>
    </div>
  </>
)
