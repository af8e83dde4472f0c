import { useRef, useState } from 'react'
import { croppedJpeg, UnusableFile } from './croppedJpeg.ts'
import { ErrorNotice } from './ErrorNotice.tsx'
import { errorMessage } from './errorMessage.ts'

type PictureButtonProps = {
  width: number
  height: number
  children: string
  /** Gets the middle of the chosen picture as a JPEG of this size, without anything but its pixels. */
  send: (picture: string) => Promise<unknown>
}

/** Lets somebody choose a picture and sends it. */
export function PictureButton({ width, height, children, send }: PictureButtonProps) {
  const file = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const upload = async (chosen: File) => {
    setBusy(true)
    setError(undefined)
    try {
      await send(await croppedJpeg(chosen, width, height))
    } catch (cause) {
      setError(cause instanceof UnusableFile ? cause.message : errorMessage(cause))
    }
    setBusy(false)
  }
  return (
    <>
      <input
        ref={file}
        type="file"
        name="picture"
        aria-label={children}
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
        className="button quiet"
        aria-busy={busy || undefined}
        onClick={() => busy || file.current?.click()}
      >
        {children}
      </button>
      <ErrorNotice message={error} />
    </>
  )
}
