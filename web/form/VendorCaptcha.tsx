import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { VendorCaptcha as Vendor } from '#contract/start.ts'
import { log } from '#web/log.ts'
import { CaptchaFrame, type CaptchaProps, useSolution } from './CaptchaFrame.tsx'
import { described } from './Field.tsx'

/** A captcha that another company asks, in a frame of its own. Its code is fetched only here. */
export function VendorCaptcha({ vendor, name, error, onSolved }: Omit<CaptchaProps, 'used'> & { vendor: Vendor }) {
  const [failures, setFailures] = useState(0)
  const [tries, setTries] = useState(1)
  const { input, solution, found } = useSolution(onSolved)
  const failed = failures === tries
  const fail = (cause: unknown) => {
    log('The captcha could not be shown.', cause)
    found('')
    setFailures(tries)
  }
  return (
    <CaptchaFrame
      name={name}
      error={error}
      input={input}
      solution={solution}
      failed={failed}
      again={() => setTries(tries + 1)}
    >
      <fieldset className="captcha-vendor" tabIndex={-1} {...described({ name, error })} name={undefined}>
        <legend className="unseen">Confirm that you are a person</legend>
        {!failed && (
          <Box key={tries} vendor={vendor} found={found} fail={fail}>
            <p role="status">Loading the check …</p>
          </Box>
        )}
      </fieldset>
    </CaptchaFrame>
  )
}

type BoxProps = { vendor: Vendor; found: (token: string) => void; fail: (cause: unknown) => void; children: ReactNode }

/** The vendor's box, and something to look at until it is there. */
function Box({ vendor, found, fail, children }: BoxProps) {
  const place = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState(false)
  const hear = useEffectEvent((token: string) => found(token))
  const giveUp = useEffectEvent((cause: unknown) => fail(cause))

  useEffect(() => {
    let remove = () => {}
    let here = true
    const show = async () => {
      try {
        const { loadVendor } = await import('./widget.ts')
        const render = await loadVendor(vendor)
        if (!here || !place.current) return
        remove = render(place.current, {
          solved: (token) => here && hear(token),
          failed: (cause) => here && giveUp(cause),
        })
        setLoaded(true)
      } catch (cause) {
        if (here) giveUp(cause)
      }
    }
    show()
    return () => {
      here = false
      remove()
    }
  }, [vendor])

  return (
    <>
      {!loaded && children}
      <div ref={place} />
    </>
  )
}
