import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { type Certificate, selfSigned } from '#server/test/certificate.ts'
import { production } from '#server/test/settings.ts'
import { smtpMail } from './smtp.ts'

const email = { to: 'zoe@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello' }

/** What a real mail server saw of a client. */
type Seen = { logins: number; senders: number; emails: { isSecure: boolean }[] }

const servers: SMTPServer[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))))

async function mailServer(options: SMTPServerOptions) {
  const seen: Seen = { logins: 0, senders: 0, emails: [] }
  const server = new SMTPServer({
    allowInsecureAuth: true,
    authOptional: true,
    onAuth: ({ password }, _session, done) => {
      seen.logins++
      if (password === 'right') done(null, { user: 'foyer' })
      else done(new Error('wrong password'))
    },
    onMailFrom: (_address, _session, done) => {
      seen.senders++
      done()
    },
    onData: (stream, session, done) => {
      stream.resume()
      stream.on('end', () => {
        seen.emails.push({ isSecure: session.secure })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined) // a client that distrusts the certificate hangs up
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const protocol = options.secure ? 'smtps' : 'smtp'
  return {
    seen,
    port,
    gateway: (requiresTls: boolean, password = 'right') =>
      smtpMail(`${protocol}://foyer:${password}@localhost:${port}`, 'Foyer <hello@foyer.example>', { requiresTls }),
  }
}

let certificate: Certificate
beforeAll(() => {
  certificate = selfSigned('DNS:localhost')
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
})

describe('where TLS is required', () => {
  it('20.6 a mail server that offers none gets neither the password nor an email', async () => {
    const { seen, gateway } = await mailServer({ disabledCommands: ['STARTTLS'] })
    await expect(gateway(true).send(email)).rejects.toThrow(/^the mail server did not accept the email \(ETLS/)
    expect(await gateway(true).checkAccount()).toEqual({
      state: 'wrong',
      why: 'The mail server offers no TLS. Use smtps://, another port, or, on a network of your own, ALLOW_UNENCRYPTED=mail.',
    })
    expect(seen).toEqual({ logins: 0, senders: 0, emails: [] })
    await gateway(false).send(email)
    expect(seen).toEqual({ logins: 1, senders: 1, emails: [{ isSecure: false }] })
  })

  it.each([{ secure: false }, { secure: true }])(
    '20.6 a certificate that is not trusted gets neither the password nor an email: %o',
    async ({ secure }) => {
      const { seen, gateway } = await mailServer({ secure }) // with the certificate of the package, which nobody trusts
      for (const requiresTls of [true, false]) {
        await expect(gateway(requiresTls).send(email)).rejects.toThrow('the mail server did not accept the email')
        expect(await gateway(requiresTls).checkAccount()).toEqual({
          state: 'wrong',
          why: 'The certificate of the mail server is not trusted, or is for another host.',
        })
      }
      expect(seen).toEqual({ logins: 0, senders: 0, emails: [] })
    },
  )

  it.each([{ secure: false }, { secure: true }])('20.6 a trusted server gets it over TLS: %o', async ({ secure }) => {
    const { seen, gateway } = await mailServer({ secure, ...certificate })
    expect(await gateway(true).checkAccount()).toEqual({ state: 'ok' })
    expect(seen).toEqual({ logins: 1, senders: 0, emails: [] })
    await gateway(true).send(email)
    expect(seen.emails).toEqual([{ isSecure: true }])
  })
})

describe('the check of the mail account', () => {
  it('20.7 says that the password is wrong', async () => {
    const { gateway } = await mailServer(certificate)
    expect(await gateway(true, 'wrong').checkAccount()).toEqual({
      state: 'wrong',
      why: 'The mail server rejected the user name or password in MAIL.',
    })
  })

  it('20.7 does not call a server that is away wrong', async () => {
    const gateway = smtpMail('smtp://127.0.0.1:1', 'Foyer <hello@foyer.example>')
    expect(await gateway.checkAccount()).toEqual({
      state: 'unknown',
      why: expect.stringMatching(/^The mail server in MAIL does not answer \(\w+\)\.$/),
    })
  })
})

it('20.6 TLS is required in production for a mail server on another machine, unless ALLOW_UNENCRYPTED names it', () => {
  const requires = (env: Record<string, string>) => readConfig({ ...production, ...env }).requiresMailTls
  expect(requires({ MAIL: 'smtp://mail.example' })).toBe(true)
  expect(requires({ MAIL: 'smtp://mail.example', ALLOW_UNENCRYPTED: 'database' })).toBe(true)
  expect(requires({ MAIL: 'smtp://mail.example', ALLOW_UNENCRYPTED: 'database,mail' })).toBe(false)
  expect(requires({ MAIL: 'smtp://127.0.0.1:2525' })).toBe(false)
  expect(readConfig({ MAIL: 'smtp://127.0.0.1:2525' }).requiresMailTls).toBe(false)
})
