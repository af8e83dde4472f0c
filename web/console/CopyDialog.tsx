import { CopyText } from '#web/credentials/CopyText.tsx'
import { Dialog } from '#web/ui/FormDialog.tsx'

type CopyDialogProps = {
  title: string
  text: string
  /** What to copy. */
  value: string
  label: string
  /** It can't be shown again, so Esc doesn't close the dialog. */
  isSecret?: boolean
  onClose: () => void
}

export const CopyDialog = ({ title, text, value, label, isSecret = false, onClose }: CopyDialogProps) => (
  <Dialog title={title} text={text} onClose={isSecret ? ignore : onClose}>
    <CopyText text={value} label={label} />
    <div className="form-actions">
      <button type="button" className="button" onClick={onClose}>
        {isSecret ? 'I’ve saved it' : 'Done'}
      </button>
    </div>
  </Dialog>
)

const ignore = () => undefined
