import { useRef, useState } from 'react'
import type { OfficeView } from '#contract/office/view.ts'
import { croppedJpeg, UnusableFile } from '#web/ui/croppedJpeg.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { initialsOf } from '../link/Referrals.tsx'
import type { Office } from '../useOffice.ts'

const BUTTON = 'change-picture'
/** The side of the picture in pixels: sharp at any size that our pages show. */
const SIDE = 320

/** The picture on the member's page, which can be changed and removed. */
export function PictureRow({ office }: { office: Office }) {
  const { username, picture_url } = office.view
  const file = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  const run = async (message: string, change: () => Promise<OfficeView>) => {
    if (busy) return
    setBusy(true)
    setError(undefined)
    office.clearSuccess()
    try {
      const view = await redirectIfSignedOut(change())
      office.showSuccess({ section: 'details', message, view, focus: BUTTON })
    } catch (cause) {
      setError(cause instanceof UnusableFile ? cause.message : errorMessage(cause))
    }
    setBusy(false)
  }
  const upload = (chosen: File) =>
    run('Your picture has been changed.', async () =>
      officeApi.changePicture({ username, picture: await croppedJpeg(chosen, SIDE, SIDE) }),
    )
  const remove = () => run('Your picture has been removed.', () => officeApi.removePicture({ username }))

  return (
    <div className="picture-row">
      <dt>Picture</dt>
      <dd>
        <MemberPicture view={office.view} />
        <span className="detail-note">
          {busy
            ? 'Saving your picture…'
            : picture_url
              ? 'Visitors see it on your page.'
              : 'Visitors like to see who invites them.'}
        </span>
        <ErrorNotice message={error} />
      </dd>
      <dd>
        <input
          ref={file}
          type="file"
          name="picture"
          accept="image/jpeg,image/png,image/webp"
          hidden
          onChange={({ target }) => {
            const [chosen] = target.files ?? []
            target.value = '' // the same file can be chosen again
            if (chosen) upload(chosen)
          }}
        />
        <button
          type="button"
          className="link"
          id={BUTTON}
          aria-busy={busy || undefined}
          onClick={() => file.current?.click()}
        >
          {picture_url ? 'Change' : 'Add'}
          <span className="unseen"> picture</span>
        </button>
        {picture_url && (
          <button type="button" className="link" onClick={remove}>
            Remove<span className="unseen"> picture</span>
          </button>
        )}
      </dd>
    </div>
  )
}

/** The picture, or the initials that visitors see until there is one. */
const MemberPicture = ({ view }: { view: OfficeView }) =>
  view.picture_url ? (
    <img className="member-picture" src={view.picture_url} alt="You, as visitors see you" width="64" height="64" />
  ) : (
    <span className="member-picture initials" aria-hidden="true">
      {initialsOf(view.business_name || `${view.first_name} ${view.last_name}`)}
    </span>
  )
