import { keptElsewhere } from '#server/config/operator.ts'
import { OperatorError } from '#server/operator-error.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { clock } from '#server/world/world.ts'
import { checkArguments, type Program, runAsProgram, runCommand, type Surroundings } from './command-line.ts'
import { type ConnectCommand, readOptions } from './connect/command.ts'
import { commissionCommands, commissionUsage } from './connect/commission.ts'
import { keyCommands } from './connect/keys.ts'
import { webhookCommands } from './connect/webhooks.ts'

const USAGE = `npm run connect -- COMMAND

  keys list                                    list API keys, with last use and last day
  keys create NAME SCOPE,SCOPE [--until DAY]   print a new key, once; it works through DAY, such as 2027-06-30
  keys revoke NAME --reason "…"                refuse it from the next request

  webhooks list                                list webhooks; WEBHOOK is an id, a name or an address
  webhooks add URL [--name NAME] [--types TYPE,TYPE] [--ed25519]
                                               print, once, the key its receiver checks signatures with
  webhooks test WEBHOOK                        send a test and print the response
  webhooks deliveries WEBHOOK [--failed]       list the newest deliveries
  webhooks resend DELIVERY                     send an event again, with the same id
  webhooks replay WEBHOOK DAY DAY              send the events of these days, and those between, again
  webhooks curl DELIVERY                       print the request as a curl command
  webhooks rotate WEBHOOK                      print a new secret; for a day, both sign
  webhooks on WEBHOOK                          pick up where it left off
  webhooks off WEBHOOK
  webhooks remove WEBHOOK
${commissionUsage}`

/** The first word or two words of a command, and what it does. */
const commands: Record<string, ConnectCommand> = {
  ...keyCommands,
  ...commissionCommands,
  ...webhookCommands,
}

const program: Program<ConnectCommand> = {
  usage: USAGE,
  commands,
  prepare: (command, args) => {
    const { positionals, options } = readOptions(command, args)
    checkArguments(command, positionals)
    return async ({ config, db, log }) => {
      const elsewhere = keptElsewhere(config)
      if (elsewhere) throw new OperatorError(elsewhere)
      const keys = await openKeys(db, config, { now: clock })
      return command.run({ config, db, keys, log, now: clock }, positionals, options)
    }
  },
}

/** 'keys list' is one command. */
const joinWords = ([first = '', second = '', ...rest]: string[]): string[] =>
  Object.hasOwn(commands, `${first} ${second}`) ? [`${first} ${second}`, ...rest] : [first, second, ...rest]

export const main = (args: string[], surroundings?: Surroundings) => runCommand(program, joinWords(args), surroundings)

if (import.meta.main) await runAsProgram(main)
