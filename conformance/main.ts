import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkHost, type Options, Unreachable } from './conformance.ts'
import type { Encoding } from './host.ts'
import { toHtml, toJson, toJunit, toTable } from './report.ts'
import type { Group } from './row.ts'

const USAGE = `npm run conformance -- URL [options]

Asks an API host what the specification promises, such as https://api.example/v1. Only reads, unless you ask for more.

  --phone NUMBER         also send codes to this phone
  --write                also enroll: one declined card and one approved. Use a host for tests
  --sponsor SITE         an active sponsor (master)
  --card NUMBER          a card that this host approves (4242424242424242)
  --declined-card NUMBER a card that it declines (4000000000000002)
  --header 'NAME: VALUE' sent with every request; may be repeated
  --encoding json|form   how bodies are written (json)
  --deadline SECONDS     for each answer (10)
  --json FILE, --junit FILE, --html FILE

Exit status: 0 nothing fails, 1 something fails, 2 wrong usage, 3 no verdict, because
the host can't be reached or the kit itself failed.`

class UsageError extends Error {}

process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<number> {
  try {
    const { options, files } = read(argv)
    const asked_at = new Date()
    const results = await checkHost(options)
    const report = { url: options.url, asked_at, results }
    console.log(toTable(results))
    if (files.json) writeFileSync(files.json, toJson(report))
    if (files.junit) writeFileSync(files.junit, toJunit(results))
    if (files.html) writeFileSync(files.html, toHtml(report))
    return results.some(({ verdict }) => verdict === 'fails') ? 1 : 0
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${USAGE}`)
      return 2
    }
    if (error instanceof Unreachable) console.error(`The host can't be reached. ${error.message}`)
    else console.error('The kit failed. This says nothing about the host.\n', error)
    return 3
  }
}

function read(argv: string[]): { options: Options; files: Partial<Record<'json' | 'junit' | 'html', string>> } {
  const { values, positionals } = parse(argv)
  const [url] = positionals
  if (!url || positionals.length > 1) throw new UsageError('Please name one URL.')
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) throw new UsageError(`'${url}' is not a URL of a host.`)
  const { phone = '+12025550123', encoding, deadline, json, junit, html } = values
  if (encoding !== 'json' && encoding !== 'form')
    throw new UsageError(`Unknown encoding '${encoding}': use json or form.`)
  if (!/^\+?\d{7,20}$/.test(phone)) throw new UsageError(`'${phone}' is no phone number.`)
  if (!(Number(deadline) > 0)) throw new UsageError(`'${deadline}' is no number of seconds.`)
  const groups = new Set<Group>([
    'read',
    ...(values.phone ? ['phone' as const] : []),
    ...(values.write ? ['write' as const] : []),
  ])
  return {
    options: {
      url,
      headers: Object.fromEntries((values.header ?? []).map(headerOf)),
      encoding: encoding satisfies Encoding,
      deadline_ms: Number(deadline) * 1000,
      groups,
      sponsor: values.sponsor,
      phone,
      cards: { approved: values.card, declined: values['declined-card'] },
      mark: `conformance${randomBytes(5).toString('hex')}`,
    },
    files: { ...(json ? { json } : {}), ...(junit ? { junit } : {}), ...(html ? { html } : {}) },
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        phone: { type: 'string' },
        write: { type: 'boolean' },
        sponsor: { type: 'string', default: 'master' },
        card: { type: 'string', default: '4242424242424242' },
        'declined-card': { type: 'string', default: '4000000000000002' },
        header: { type: 'string', multiple: true },
        encoding: { type: 'string', default: 'json' },
        deadline: { type: 'string', default: '10' },
        json: { type: 'string' },
        junit: { type: 'string' },
        html: { type: 'string' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function headerOf(header: string): [string, string] {
  const [, name, value] = /^([\w-]+): *(.+)$/.exec(header) ?? []
  if (!name || !value) throw new UsageError(`'${header}' is no header: write 'NAME: VALUE'.`)
  return [name, value]
}
