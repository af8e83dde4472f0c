import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { VendorCaptcha as Vendor } from '#contract/start.ts'
import { CheckIcon, DotIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { useTimeout } from '#web/useTimeout.ts'
import { CaptchaFrame, type CaptchaProps, useSolution } from './CaptchaFrame.tsx'
import { described } from './Field.tsx'
import { SOLUTION_LIFETIME_MS, solveCaptcha } from './solveCaptcha.ts'
import { VendorCaptcha } from './VendorCaptcha.tsx'

type State = 'idle' | 'working' | 'done' | 'failed'

type OwnProps = CaptchaProps & {
  /** An earlier solution: it may have been used, so a new one is worked out at once. */
  defaultValue: string
  /** Makes the form wait for the work, and remember a press meanwhile. */
  busyWhile: (work: Promise<unknown>) => Promise<unknown>
}

/** Says what is going on, to eyes and ears. */
const words: Record<State, string> = { idle: '', working: 'Checking …', done: 'Thank you.', failed: '' }

/** Whoever the operator lets ask: another company, or we. */
export const Captcha = ({ vendor, ...props }: OwnProps & { vendor: Vendor | undefined }) =>
  vendor ? <VendorCaptcha key={props.used} vendor={vendor} {...props} /> : <OwnCaptcha {...props} />

/** "I'm not a robot": a box to tick, and a second of the machine's work instead of a puzzle. */
function OwnCaptcha({ name, defaultValue, error, used, busyWhile, onSolved }: OwnProps) {
  const work = useRef<AbortController>(undefined)
  const [state, setState] = useState<State>('idle')
  const { input, solution, found } = useSolution(onSolved, defaultValue)

  const show = (next: State, solution: string) => {
    flushSync(() => setState(next))
    found(solution)
  }

  const run = async (signal: AbortSignal) => {
    try {
      const solution = await solveCaptcha(signal)
      if (!signal.aborted) show('done', solution)
    } catch (cause) {
      if (signal.aborted) return
      log('The captcha could not be worked out.', cause)
      show(solution ? 'done' : 'failed', solution) // an earlier solution may not have been used after all
    }
  }

  const stop = () => work.current?.abort()
  const start = () => {
    stop()
    work.current = new AbortController()
    setState('working')
    busyWhile(run(work.current.signal))
  }
  const startAgain = useEffectEvent(() => {
    if (state !== 'idle' || defaultValue) start()
  })

  // Also when the step is shown again with a solution from before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: every use asks for a new solution
  useEffect(() => startAgain(), [used])
  useEffect(() => () => work.current?.abort(), [])
  useTimeout(start, state === 'done' ? SOLUTION_LIFETIME_MS : undefined)

  return (
    <CaptchaFrame name={name} error={error} input={input} solution={solution} failed={state === 'failed'} again={start}>
      <div className="captcha-row">
        <label className="tick-row" htmlFor={name}>
          <input
            type="checkbox"
            checked={state === 'working' || state === 'done'}
            onChange={({ target }) => {
              if (target.checked) return start()
              stop()
              show('idle', '')
            }}
            {...described({ name, error }, `${name}-more`)}
            name={undefined}
          />
          <span>I'm not a robot</span>
        </label>
        <p className="captcha-more" id={`${name}-more`}>
          No puzzles
        </p>
        <p className="captcha-state" role="status">
          {state === 'working' && <DotIcon />}
          {state === 'done' && <CheckIcon />}
          {words[state]}
        </p>
      </div>
    </CaptchaFrame>
  )
}
