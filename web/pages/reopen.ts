import { log } from '#web/log.ts'
import { untilAnswered } from '#web/moment/moment.ts'
import { request, whenOnline } from '#web/network.ts'

// The page “One moment, please”: asks for the page at this address until the server has it, then opens it.
const TRY_MS = 15_000

const askForPage = () => request(location.href, { method: 'HEAD', signal: AbortSignal.timeout(TRY_MS) })

async function openOnceReady(): Promise<void> {
  try {
    const { status } = await untilAnswered(askForPage)
    if (status !== 503) return location.reload()
  } catch (cause) {
    log('The page could not be asked for.', cause)
    if (!navigator.onLine) return whenOnline().then(openOnceReady)
  }
  document.documentElement.classList.add('failed')
}

openOnceReady()
