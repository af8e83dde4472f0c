// Writes what is generated from contract/connect: the client, and the list of what /api/v1 promises. A promise that is broken is
// refused, unless --break is given.
import { readFileSync, writeFileSync } from 'node:fs'
import { apiCalls } from '#contract/connect/api.ts'
import * as shapes from '#contract/connect/shapes.ts'
import { clientOf } from './api/client.mjs'
import { brokenPromises, promiseOf } from './api/promise.mjs'

const file = (name) => new URL(`../contract/connect/${name}`, import.meta.url)
const promise = promiseOf(apiCalls)
const broken = brokenPromises(readPromised(), promise)
if (broken.length && !process.argv.includes('--break')) {
  console.error(`This would break what /api/v1 promises (use --break to do it anyway):\n${broken.join('\n')}`)
  process.exit(1)
}
writeFileSync(file('v1.txt'), `${promise.join('\n')}\n`)
writeFileSync(file('client.ts'), clientOf(apiCalls, shapes))

function readPromised() {
  try {
    return readFileSync(file('v1.txt'), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}
