// node wait-until-ready.mjs URL: ends when the URL answers with 200. systemd ends it when that takes too long.
import { setTimeout as sleep } from 'node:timers/promises'

const [url = ''] = process.argv.slice(2)
const isReady = () =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

while (!(await isReady())) await sleep(250)
