import { loadSecondScript } from './loadSecondScript.ts'
import { whenInteracted } from './timing.ts'

/** Inlined into the page: remembers a Next that is pressed before the script arrives, fetches what follows for whoever
 * begins, and hides a step that is not the one to come back to. Everything counts here: it is part of every page. */
addEventListener('submit', (event) => {
  event.preventDefault()
  if (window.pressed !== undefined) return
  window.pressed = event.submitter
  document.documentElement.classList.add('pressed')
})

whenInteracted(() => loadSecondScript(true))

// Only a page that was open before has a state: this is a reload, or a way back from elsewhere.
if (history.state) document.documentElement.classList.add('resuming')
