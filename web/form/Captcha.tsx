import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PageCaptcha } from '#contract/start.ts'
import { CheckIcon, DotIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { useTimeout } from '#web/useTimeout.ts'
import { CaptchaFrame, type CaptchaProps, useSolution } from './CaptchaFrame.tsx'
import { controlProps } from './Field.tsx'
import { SOLUTION_LIFETIME_MS, solveCaptcha } from './solveCaptcha.ts'
import { VendorCaptcha } from './VendorCaptcha.tsx'

/** renewing: a used or expired solution is being replaced, without telling the visitor. */
type State = 'idle' | 'working' | 'renewing' | 'done' | 'failed'

type OwnProps = CaptchaProps & {
  /** An earlier solution. It may already be used, so a new one is computed at once. */
  defaultValue: string
  /** `queueWhile` of useForm. */
  queueWhile: (work: Promise<unknown>) => Promise<unknown>
}

const THANKS = 'Thank you.'
const statusTexts: Record<State, string> = {
  idle: '',
  working: 'Checking…',
  renewing: THANKS,
  done: THANKS,
  failed: '',
}

/** A vendor's captcha if the operator chose one, otherwise ours. If it's off, only a field that satisfies the rules. */
export function Captcha({ vendor, ...props }: OwnProps & { vendor: PageCaptcha | undefined }) {
  if (vendor === 'off') return <input type="hidden" name={props.name} value="off" />
  return vendor ? <VendorCaptcha key={props.usedCount} vendor={vendor} {...props} /> : <OwnCaptcha {...props} />
}

/** Our own: a checkbox, and about a second of proof of work instead of a puzzle. */
function OwnCaptcha({ name, defaultValue, error, usedCount, queueWhile, onSolved }: OwnProps) {
  const currentRun = useRef<AbortController>(undefined)
  const [state, setState] = useState<State>('idle')
  const { input, solution, saveSolution } = useSolution(onSolved, defaultValue)

  const show = (next: State, solution: string) => {
    flushSync(() => setState(next))
    saveSolution(solution)
  }

  const run = async (signal: AbortSignal) => {
    try {
      const solution = await solveCaptcha(signal)
      if (!signal.aborted) show('done', solution)
    } catch (cause) {
      if (signal.aborted) return
      log('The captcha could not be solved.', cause)
      show(solution ? 'done' : 'failed', solution) // the earlier solution may still be unused
    }
  }

  const stop = () => currentRun.current?.abort()
  const start = (next: State = 'working') => {
    stop()
    currentRun.current = new AbortController()
    setState(next)
    queueWhile(run(currentRun.current.signal))
  }
  const renew = () => start('renewing')
  const restart = useEffectEvent(() => {
    if (state !== 'idle' || defaultValue) renew()
  })

  // Also runs when the step is shown again with an earlier solution.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each use needs a new solution
  useEffect(() => restart(), [usedCount])
  useEffect(() => () => currentRun.current?.abort(), [])
  const retryOnline = useEffectEvent(() => {
    if (state === 'failed') start()
  })
  useEffect(() => {
    addEventListener('online', retryOnline)
    return () => removeEventListener('online', retryOnline)
  }, [])
  useTimeout(renew, state === 'done' ? SOLUTION_LIFETIME_MS : undefined)

  const isTicked = state !== 'idle' && state !== 'failed'
  const visibleError = isTicked && state !== 'done' ? undefined : error
  return (
    <CaptchaFrame
      name={name}
      error={visibleError}
      input={input}
      solution={solution}
      failed={state === 'failed'}
      onRetry={() => start()}
    >
      <div className="captcha-row">
        <label className="tick-row" htmlFor={name}>
          <input
            type="checkbox"
            checked={isTicked}
            onChange={({ target }) => {
              if (target.checked) return start()
              stop()
              show('idle', '')
            }}
            {...controlProps({ name, error: visibleError }, `${name}-note`)}
            name={undefined}
          />
          <span>I'm not a robot</span>
        </label>
        <p className="captcha-note" id={`${name}-note`} hidden={statusTexts[state] !== ''}>
          No puzzles
        </p>
        <p className="captcha-status" role="status">
          {state === 'working' && <DotIcon />}
          {statusTexts[state] === THANKS && <CheckIcon />}
          {statusTexts[state]}
        </p>
      </div>
    </CaptchaFrame>
  )
}
