// The API reference reads without this script. It adds the filter and the Copy buttons.

const filter = document.querySelector<HTMLInputElement>('#filter')
const status = document.querySelector('#filter-status')
const entries = [...document.querySelectorAll<HTMLElement>('[data-call]')]
const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]
const calls = entries.filter((entry) => entry.matches('.call'))

for (const element of document.querySelectorAll<HTMLElement>('.scripted')) element.hidden = false

/** Shows the calls that contain every word: in the list on the left, and below. */
function showMatches() {
  const words = filter?.value.toLowerCase().split(/\s+/) ?? []
  const matches = new Set(calls.filter((call) => contains(call, words)).map((call) => call.dataset.call))
  for (const entry of entries) entry.hidden = !matches.has(entry.dataset.call)
  for (const group of groups) group.hidden = !group.querySelector('[data-call]:not([hidden])')
  if (status) status.textContent = `${matches.size} of ${calls.length} calls`
}

const contains = (call: HTMLElement, words: string[]) => {
  const text = call.textContent?.toLowerCase() ?? ''
  return words.every((word) => text.includes(word))
}

filter?.addEventListener('input', showMatches)
if (filter?.value) showMatches() // restored by Back

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === 'Escape' && event.target === filter && filter) {
    filter.value = ''
    showMatches()
  }
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  filter?.focus()
})

/** A link to a call that is filtered out, or inside a closed list, shows it. */
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target?.hidden || !filter) return
  filter.value = ''
  showMatches()
  target.scrollIntoView()
}
addEventListener('hashchange', showTarget)

const COPIED_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('.copy'))
  button.addEventListener('click', async () => {
    const code = button.closest('.docs-code')?.querySelector('code')?.textContent ?? ''
    const isCopied = await navigator.clipboard.writeText(code).then(
      () => true,
      () => false,
    )
    button.textContent = isCopied ? 'Copied' : 'Could not copy'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, COPIED_MS)
  })
