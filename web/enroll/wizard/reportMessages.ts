import { type MessageReport, messageKey, messageReports } from '#contract/field-messages.ts'
import { API } from '#contract/paths.ts'
import { request } from '#web/network.ts'

/**
 * Tells the server which field showed which message, once for each field: only their names, never what was entered. It
 * watches the page, so that the first script, which has no room left, knows nothing of it; nothing is checked without rules,
 * and this file comes with them.
 */
export function reportMessages(page: HTMLElement, send = sendReports) {
  const reported = new Set<string>()
  const observer = new MutationObserver(() => {
    const fresh = shownMessages(page).filter(({ field }) => !reported.has(field))
    for (const { field } of fresh) reported.add(field)
    if (fresh.length) send(fresh)
  })
  observer.observe(page, { childList: true, subtree: true })
}

const ERROR = '-error'

const shownMessages = (page: HTMLElement): MessageReport[] =>
  [...page.querySelectorAll(`form .error[id$=${ERROR}]`)].map(({ id, textContent }) => ({
    field: id.slice(0, -ERROR.length),
    message: messageKey(textContent ?? ''),
  }))

/** A report that is lost is not worth telling anyone. */
const sendReports = (messages: MessageReport[]) =>
  request(API + messageReports.path, {
    method: messageReports.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
    keepalive: true, // also when the visitor leaves
  }).catch(() => undefined)

if (globalThis.document) reportMessages(document.body)
