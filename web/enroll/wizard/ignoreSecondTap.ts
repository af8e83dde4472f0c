/** How long after a step change a press may still be meant for the step before. */
const DOUBLE_CLICK_MS = 700
const SECOND_TAP_MS = 400

type PointerPress = Pick<PointerEvent, 'detail' | 'timeStamp' | 'pointerType'>

/** The rest of a double click, or a tap too soon to have read the step. Keys (detail 0) always count. */
export const isSecondTap = ({ detail, timeStamp, pointerType }: PointerPress, movedAt: number): boolean => {
  const elapsed = timeStamp - movedAt
  return (detail > 1 && elapsed < DOUBLE_CLICK_MS) || (detail > 0 && pointerType !== 'mouse' && elapsed < SECOND_TAP_MS)
}

/** Call it when a step is shown: the second tap on the last step's button must not press a button of this one. */
export function ignoreSecondTap(): void {
  const movedAt = performance.now()
  const ignore = (event: PointerEvent) => {
    if (!isSecondTap(event, movedAt)) return
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, { capture: true, signal: AbortSignal.timeout(DOUBLE_CLICK_MS) })
}
