import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api } from '#web/api.ts'
import { AlertIcon, CheckIcon, DotIcon } from '#web/icons.tsx'
import { log } from '#web/log.ts'
import { described } from './Field.tsx'

type State = 'idle' | 'working' | 'done' | 'failed'

type CaptchaProps = {
  name: string
  /** An earlier solution: it may have been used, so a new one is worked out at once. */
  defaultValue: string
  error: string | undefined
  /** Goes up when the solution has been used: the next one is worked out without asking. */
  used: number
  /** Makes the form wait for the work, and remember a press meanwhile. */
  hold: (work: Promise<unknown>) => Promise<unknown>
}

/** The server takes a solution for 20 minutes. */
const GOOD_FOR = 15 * 60_000

/** Says what is going on, to eyes and ears. */
const words: Record<State, string> = { idle: '', working: 'Checking …', done: 'Thank you.', failed: '' }

/** "I'm not a robot": a box to tick, and a second of the machine's work instead of a puzzle. */
export function Captcha({ name, defaultValue, error, used, hold }: CaptchaProps) {
  const input = useRef<HTMLInputElement>(null)
  const work = useRef<AbortController>(undefined)
  const [state, setState] = useState<State>('idle')
  const [solution, setSolution] = useState(defaultValue)

  /** Shows where things stand; the form hears of a changed solution as of any other answer. */
  const show = (next: State, found: string) => {
    flushSync(() => {
      setState(next)
      setSolution(found)
    })
    input.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }

  const run = async (signal: AbortSignal) => {
    try {
      const [challenge, { solve }] = await Promise.all([api.getChallenge({}, { signal }), import('./solve.ts')])
      const found = await solve(challenge, signal)
      if (!signal.aborted) show('done', found)
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
    hold(run(work.current.signal))
  }
  const startAgain = useEffectEvent(() => {
    if (state !== 'idle' || defaultValue) start()
  })

  // Also when the step is shown again with a solution from before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: every use asks for a new solution
  useEffect(() => startAgain(), [used])
  useEffect(() => () => work.current?.abort(), [])
  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(() => startAgain(), GOOD_FOR)
    return () => clearTimeout(timer)
  }, [state])

  return (
    <div className="field captcha" data-field={name}>
      <input type="hidden" name={name} ref={input} value={solution} />
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
            {...described({ name, label: '', error }, `${name}-more`)}
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
      {state === 'failed' && (
        <p className="error" role="alert">
          <AlertIcon />
          <span>
            The check did not work. Please look at your connection and{' '}
            <button type="button" className="link" onClick={start}>
              try again
            </button>
            .
          </span>
        </p>
      )}
      {error && state !== 'failed' && (
        <p className="error" id={`${name}-error`}>
          <AlertIcon />
          <span>{error}</span>
        </p>
      )}
    </div>
  )
}
