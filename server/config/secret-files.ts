import { readFileSync } from 'node:fs'
import { isSecret, settings } from './settings.ts'

export type Env = Record<string, string | undefined>

export const isSet = (env: Env, name: string): boolean => Boolean(env[name]?.trim())

/** The names under which a secret comes from a file: SECRET_FILE, DATABASE_URL_FILE, … */
const secretFiles = new Map(
  Object.keys(settings)
    .filter(isSecret)
    .map((name) => [`${name}_FILE`, name]),
)
export const isSecretFile = (name: string): boolean => secretFiles.has(name)

/** The same environment, with every secret that is in a file, and what is wrong with those files. */
export function readSecretFiles(variables: Env): { env: Env; problems: string[] } {
  const env = { ...variables }
  const problems: string[] = []
  for (const [fileSetting, name] of secretFiles) {
    if (!isSet(env, fileSetting)) continue
    const { secret, problem } = isSet(env, name) && !isMailbox(name, env) ? bothSet(name) : readSecret(env[fileSetting])
    if (problem) problems.push(`${fileSetting} ${problem}`)
    else env[name] = secret
  }
  return { env, problems }
}

type Read = { secret?: string; problem?: string }

const bothSet = (name: string): Read => ({ problem: `must not be set together with ${name}` })

/** Login shells set MAIL to the path of a mailbox, see the rule of MAIL. */
const isMailbox = (name: string, env: Env) => name === 'MAIL' && env.MAIL?.startsWith('/')

function readSecret(path = ''): Read {
  try {
    const secret = readFileSync(path.trim(), 'utf8').trim()
    if (!secret) return { problem: `names an empty file: ${path}` }
    return /[\r\n]/.test(secret) ? { problem: `names a file with more than one line: ${path}` } : { secret }
  } catch (error) {
    return { problem: `names a file that cannot be read (${Object(error).code}): ${path}` }
  }
}
