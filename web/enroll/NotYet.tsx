import { Notice } from '#web/Notice.tsx'

/** Stands where a step is not built yet. Goes away with the last of them. */
export function NotYet() {
  return (
    <Notice role="status" title="Thank you, this is as far as it goes today.">
      The next step is still being built. What you entered is kept in this tab, and nothing was charged.
    </Notice>
  )
}
