import { loadSecondScript } from './loadSecondScript.ts'
import { whenInteracted } from './timing.ts'

/** Inlined into every page, so every byte counts: remembers what is pressed before the script has loaded, loads the next
 * step as soon as the visitor starts, and hides a first step that will be replaced. */
addEventListener('click', (event) => {
  if (window.pressed !== null)
    window.pressed = (event.target as Element).closest<HTMLElement>('[type=button]') ?? window.pressed
})
addEventListener('submit', (event) => {
  if ((event.target as Element).hasAttribute('action')) return // needs no script
  event.preventDefault()
  if (window.pressed === null) return
  window.pressed = event.submitter
  document.documentElement.classList.add('pressed')
})

whenInteracted(() => loadSecondScript(true))

// Only a page that was open before has a history state: this is a reload, or Back from another page.
if (history.state) document.documentElement.classList.add('resuming')
