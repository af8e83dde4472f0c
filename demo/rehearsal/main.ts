import { once } from 'node:events'
import { testCards } from '#server/gateways/payment/cards.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { checkRehearsal } from './check.ts'
import { type Rehearsal, startRehearsal } from './rehearsal.ts'

const USAGE = `npm run rehearse -- [FOLDER] [--check]

A site as in production on this machine: PostgreSQL, strict settings and two processes. Emulators stand in for the vendors, so nothing
is charged or sent. Settings such as AUTOSHIP=on count. Ctrl-C stops everything and deletes it.

  FOLDER    load these sponsors, packages and documents instead of the samples
  --check   join once, ask the doctor, and stop. Exit code: 0 if everything works, 1 if not`

const SAMPLES = 'server/cli/samples'
const { PORT = '3000' } = process.env

const signals = ['SIGINT', 'SIGTERM']

/** Until then a signal ends this process and everything it has started. */
function unlessStopped<Result>(work: Promise<Result>): Promise<Result> {
  const end = () => process.exit(130)
  for (const signal of signals) process.on(signal, end)
  return work.finally(() => {
    for (const signal of signals) process.off(signal, end)
  })
}

async function main(args: string[]): Promise<number> {
  if (args.some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(USAGE)
    return 0
  }
  const [folder, ...rest] = args.filter((arg) => arg !== '--check')
  const isCheck = args.includes('--check')
  if (rest.length || folder?.startsWith('-') || (isCheck && folder)) throw new OperatorError(USAGE)
  console.log('Starting PostgreSQL, the emulated vendors and two processes …')
  const rehearsal = await unlessStopped(
    startRehearsal({ data: folder ?? SAMPLES, ...(isCheck ? {} : { port: Number(PORT) }) }),
  )
  try {
    if (isCheck) console.log((await unlessStopped(checkRehearsal(rehearsal))).join('\n\n'))
    else await rehearse(rehearsal)
    return 0
  } finally {
    await rehearsal.stop()
  }
}

async function rehearse(rehearsal: Rehearsal) {
  const { urls, folder, command } = rehearsal
  const invitation = await unlessStopped(command('server/cli/staff.ts', 'invite', 'owner@rehearsal.example', 'owner'))
  const examples = [testCards.good, testCards.declined, testCards.responseLost, testCards.renewalDeclinedOnce]
  console.log(`
Open ${urls[0]} (the second process is ${urls[1]})
First owner: ${invitation.split('\n').at(-1)}
Cards, with any future date and CVC:
${examples.map(({ number, description }) => `  ${number}  ${description}`).join('\n')}
Logs, emails and secrets: ${folder}
Ctrl-C stops everything and deletes it. Codes and emails show up here:`)
  const timer = setInterval(printNews(rehearsal), 500)
  await Promise.race(signals.map((signal) => once(process, signal)))
  clearInterval(timer)
  console.log('Stopping …')
}

function printNews({ codes, emails }: Rehearsal) {
  const printed = { codes: 0, emails: 0 }
  return () => {
    for (const { to, code } of codes.slice(printed.codes)) console.log(`  code for ${to}: ${code}`)
    for (const { to, subject, links } of emails.slice(printed.emails))
      console.log(`  email to ${to}: ${subject}${links.map((link) => `\n    ${link}`).join('')}`)
    Object.assign(printed, { codes: codes.length, emails: emails.length })
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(explainError(error) ?? error)
  process.exitCode = 1
}
