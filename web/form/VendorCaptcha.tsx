import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { VendorCaptcha as Vendor } from '#contract/start.ts'
import { log } from '#web/log.ts'
import { CaptchaFrame, type CaptchaProps, useSolution } from './CaptchaFrame.tsx'
import { controlProps } from './Field.tsx'

/** Another company's captcha. Its script is loaded only when this is shown. */
export function VendorCaptcha({ vendor, name, error, onSolved }: Omit<CaptchaProps, 'usedCount'> & { vendor: Vendor }) {
  const [failedTry, setFailedTry] = useState(0)
  const [currentTry, setCurrentTry] = useState(1)
  const { input, solution, saveSolution } = useSolution(onSolved)
  const failed = failedTry === currentTry
  const fail = (cause: unknown) => {
    log('The captcha could not be shown.', cause)
    saveSolution('')
    setFailedTry(currentTry)
  }
  return (
    <CaptchaFrame
      name={name}
      error={error}
      input={input}
      solution={solution}
      failed={failed}
      onRetry={() => setCurrentTry(currentTry + 1)}
    >
      <fieldset className="captcha-vendor" tabIndex={-1} {...controlProps({ name, error })} name={undefined}>
        <legend className="unseen">Confirm that you’re not a robot</legend>
        {!failed && (
          <VendorBox key={currentTry} vendor={vendor} onSolution={saveSolution} onFailure={fail}>
            <p role="status">Loading the check…</p>
          </VendorBox>
        )}
      </fieldset>
    </CaptchaFrame>
  )
}

type VendorBoxProps = {
  vendor: Vendor
  onSolution: (token: string) => void
  onFailure: (cause: unknown) => void
  children: ReactNode
}

/** The vendor's widget, and the children until it has loaded. */
function VendorBox({ vendor, onSolution, onFailure, children }: VendorBoxProps) {
  const container = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState(false)
  const solve = useEffectEvent((token: string) => onSolution(token))
  const fail = useEffectEvent((cause: unknown) => onFailure(cause))

  useEffect(() => {
    let remove = () => {}
    let isMounted = true
    const show = async () => {
      try {
        const { loadVendor } = await import('./vendorWidget.ts')
        const render = await loadVendor(vendor)
        if (!isMounted || !container.current) return
        remove = render(container.current, {
          onToken: (token) => isMounted && solve(token),
          onError: (cause) => isMounted && fail(cause),
        })
        setLoaded(true)
      } catch (cause) {
        if (isMounted) fail(cause)
      }
    }
    show()
    return () => {
      isMounted = false
      remove()
    }
  }, [vendor])

  return (
    <>
      {!loaded && children}
      <div ref={container} />
    </>
  )
}
