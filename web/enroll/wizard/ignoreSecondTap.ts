/** How long a press may still be meant for the step that stood there before. */
const DOUBLE_MS = 700
const TAP_MS = 400

type Press = Pick<PointerEvent, 'detail' | 'timeStamp' | 'pointerType'>

/** The rest of a double click, or a tap before anybody could have read the step. Keys, whose detail is 0, mean what they say. */
export const isSecondTap = ({ detail, timeStamp, pointerType }: Press, movedAt: number): boolean => {
  const since = timeStamp - movedAt
  return (detail > 1 && since < DOUBLE_MS) || (detail > 0 && pointerType !== 'mouse' && since < TAP_MS)
}

/** A step has come forward: nobody should press its buttons who was still pressing those of the one before. */
export function overlookSecondTap(): void {
  const movedAt = performance.now()
  const overlook = (event: PointerEvent) => {
    if (!isSecondTap(event, movedAt)) return
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', overlook, { capture: true, signal: AbortSignal.timeout(DOUBLE_MS) })
}
