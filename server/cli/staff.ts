import { consoleAuditCalls } from '#contract/console/audit.ts'
import { type Role, roles } from '#contract/console/permissions.ts'
import { fields } from '#contract/fields.ts'
import { commandLine, verifyAudit } from '#server/audit/audit.ts'
import { acknowledgeTampering } from '#server/audit/tampering.ts'
import { createInvitation } from '#server/console/access/invitations.ts'
import { listStaff, removeStaff } from '#server/console/access/staff.ts'
import { OperatorError } from '#server/operator-error.ts'
import { openKeys } from '#server/secrets/secrets.ts'
import { clock, type World } from '#server/world/world.ts'
import {
  checkArguments,
  type Program,
  runAsProgram,
  runCommand,
  type Surroundings,
  UsageError,
} from './command-line.ts'
import { at, plural, table } from './listings.ts'

const USAGE = `npm run staff -- COMMAND

  invite EMAIL ROLE    print a link with which this person gets access, once and within three days
                       ROLE is ${roles.join(', ')}
  list                 who has access
  remove EMAIL         end someone's access immediately, even the last owner's
  audit [SEAL]         check that no row of the audit log and no event of the security log was changed or removed; with
                       the seal of an earlier check, also that the log still goes on from there
  acknowledge ROW WHY  acknowledge the reports up to this row that a log was changed, and say why`

type Context = Pick<World, 'config' | 'db' | 'keys' | 'log' | 'now'>
type Command = { required: string[]; optional?: string[]; run: (world: Context, args: string[]) => Promise<string> }

/** These commands need nothing of the world but settings, database, keys and clock. */
const asWorld = (context: Context) => context as World

const commands: Record<string, Command> = {
  invite: {
    required: ['EMAIL', 'ROLE'],
    run: async (context, [email = '', role = '']) => {
      const address = fields.email.safeParse(email).data?.toLowerCase()
      if (!address) throw new UsageError(`'${email}' is not an email address.`)
      if (!isRole(role)) throw new UsageError(`'${role}' is not a role. There are: ${roles.join(', ')}.`)
      const link = await createInvitation(asWorld(context), { email: address, role, actor: commandLine })
      return `Send this link to ${address}. It works once, and for three days.\n${link}`
    },
  },
  list: {
    required: [],
    run: async (context) => {
      const { staff, invitations } = await listStaff(context)
      return table(
        ['email', 'name', 'role', 'signs in with', 'since'],
        [
          ...staff.map(({ email, name, role, passkeys, has_password, joined_on }) => [
            ...[email, name, role],
            [passkeys && plural(passkeys, 'passkey'), has_password && 'password'].filter(Boolean).join(', '),
            joined_on,
          ]),
          ...invitations.map(({ email, role, expires_at }) => [
            ...[email, '', role],
            `invited until ${at(new Date(expires_at))}`,
            '',
          ]),
        ],
      )
    },
  },
  remove: {
    required: ['EMAIL'],
    run: async (context, [email = '']) => {
      const { staff } = await listStaff(context)
      const found = staff.find((person) => person.email === email.toLowerCase())
      if (!found) throw new OperatorError(`No one with the address '${email}' has access.`)
      await removeStaff(asWorld(context), { id: found.id, mayBeLastOwner: true }, commandLine)
      return `${found.email} no longer has access.`
    },
  },
  audit: {
    required: [],
    optional: ['SEAL'],
    run: async (context, [seal]) => {
      if (seal !== undefined && !/^\d+\.[\w-]*$/.test(seal)) throw new UsageError(`'${seal}' is not a seal.`)
      const { rows, seal: newSeal, security, problem } = await verifyAudit(context, seal)
      if (problem) throw new OperatorError(`The audit log is not intact. ${problem}`)
      const { events, expired, unsealed } = security
      return [
        `The audit log is intact: ${plural(rows, 'row')}. Its seal is ${newSeal}`,
        `The security log is intact: ${plural(events, 'event')}. Expired: ${expired}. Not sealed yet: ${unsealed}.`,
      ].join('\n')
    },
  },
  acknowledge: {
    required: ['ROW', 'WHY'],
    run: async (context, [row = '', why = '']) => {
      const input = consoleAuditCalls.acknowledgeReports.input.safeParse({ position: row, reason: why })
      if (!input.success) throw new UsageError(input.error.issues[0]?.message ?? 'Please name a row and say why.')
      const { position, reason } = input.data
      await acknowledgeTampering(context, { position: Number(position), reason, actor: commandLine })
      return `Acknowledged: the reports up to row ${position} no longer count.`
    },
  },
}

const isRole = (text: string): text is Role => roles.some((role) => role === text)

const program: Program<Command> = {
  usage: USAGE,
  commands,
  prepare: (command, args) => {
    checkArguments(command, args)
    return async ({ config, db, log }) => {
      const keys = await openKeys(db, config, { now: clock })
      return command.run({ config, db, keys, log, now: clock }, args)
    }
  },
}

export const main = (args: string[], surroundings?: Surroundings) => runCommand(program, args, surroundings)

if (import.meta.main) await runAsProgram(main)
