import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { commandLine, recordAction, verifyAudit } from '#server/audit/audit.ts'
import { keepSecurityLog } from '#server/audit/security-seals.ts'
import { inTransaction } from '#server/db/db.ts'
import { consentBundle } from '#server/members/consent.ts'
import { addressLinkToken } from '#server/members/email-links.ts'
import { mintGrant, redeemGrant } from '#server/members/grant.ts'
import { unsubscribe, unsubscribeUrl } from '#server/members/join-emails.ts'
import { makeResetLink } from '#server/members/new-password.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { confirmed, cookieOf, emailsTo, joinedMember, linkTokenIn, memberInOffice } from '#server/test/member.ts'
import { acceptRealCards, realCards } from '#server/test/real-cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { STAFF_PASSWORD, staffMember } from '#server/test/staff.ts'
import { twinOf } from '#server/test/twin.ts'
import type { World } from '#server/world/world.ts'
import { verifyConsent } from '../../scripts/verify-consent.mjs'
import { rekey } from './key-rows.ts'
import { watchKeys } from './secrets.ts'

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})
async function newSite(env: Record<string, string> = {}) {
  const site = await testSite(env)
  open.push(site)
  return site
}

/** New keys, and the time that passes until they are used. */
async function changeKeys(site: Site, options: { revoke?: boolean } = {}) {
  await rekey(site.db, site.world.config, site.world.now(), options)
  await site.world.keys.refresh()
  site.advance(601)
}

const memberIdOf = async ({ db }: Site, username: string) =>
  (await db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id

const accessOf = (id: string) => ({ id, access_version: 0 })

const act = (world: World) =>
  inTransaction(world.db, (db) =>
    recordAction(
      { ...world, db },
      { act: 'end_sessions', actor: commandLine, subject_kind: 'member', subject: 'x', reason: 'why' },
    ),
  )

const enrollmentIn = (reply: { headers: Record<string, unknown> }) =>
  /foyer_enrollment=([\w-]+)\./.exec(cookieOf(reply))?.[1]

describe('new keys', () => {
  it('23.1 are published first, and used by every process ten minutes later', async () => {
    const site = await newSite()
    const { keys } = site.world
    const first = keys.signing.kid
    const published = async () =>
      (await site.get('/.well-known/jwks.json')).json().keys.map(({ kid }: { kid: string }) => kid)
    await rekey(site.db, site.world.config, site.world.now())
    await keys.refresh()
    const [, next] = await published()
    expect([await published(), keys.signing.kid]).toEqual([[first, next], first])
    await expect(rekey(site.db, site.world.config, site.world.now())).rejects.toThrow('New keys were made already.')
    site.advance(599)
    expect(keys.signing.kid).toBe(first)
    site.advance(1)
    expect(keys.signing.kid).toBe(next)
    expect(await published()).toEqual([first, next])
  })

  it('23.1 reach a running process within seconds', async () => {
    const site = await newSite()
    const stop = watchKeys(site.world)
    await rekey(site.db, site.world.config, site.world.now())
    await expect.poll(() => site.world.keys.publicKeys().length).toBe(2)
    stop()
    await sleep(10)
  })

  it('23.1 refuse nobody: two processes at work while the keys change three times', async () => {
    const site = await newSite({ LIMIT_SIGN_INS: '100000/3600' })
    const twin = await twinOf(site)
    open.push(twin)
    const processes = [site, twin] as const
    const member = await memberInOffice(site)
    const id = await memberIdOf(site, member.username)
    const visitor = cookieOf(await site.get('/ana'))
    const consents: string[] = [await consentBundle(site.world, id)]
    const kids = new Set<string>()
    const wrong: string[] = []
    const check = (what: string, isRight: boolean) => isRight || wrong.push(what)

    for (let round = 0; round < 29; round++) {
      const [one, other] = round % 2 ? processes : [...processes].reverse()
      if (!one || !other) return
      const newKeys = round % 8 === 3 ? rekey(site.db, site.world.config, site.world.now()) : undefined
      await Promise.all([
        joinOnOne(one, other, await filledForm(site)).then((ok) => check(`grant ${round}`, ok)),
        signInOnOther(one, other, member).then((ok) => check(`sign-in ${round}`, ok)),
        other
          .get('/ana', { cookie: visitor })
          .then((reply) => check(`cookie ${round}`, [undefined, idOf(visitor)].includes(enrollmentIn(reply)))),
        consentBundle(one.world, id).then((bundle) => consents.push(bundle)),
        act(one.world),
        act(other.world),
        newKeys,
      ])
      const keySet = (await other.get('/.well-known/jwks.json')).body
      for (const bundle of consents.slice(-1)) check(`consent ${round}`, verifyConsent(bundle, keySet).kid !== '')
      kids.add(site.world.keys.signing.kid)
      site.advance(90)
      await site.world.keys.refresh()
      if (round % 2 === 0) await twin.world.keys.refresh() // a slow one: three minutes behind
    }
    await twin.world.keys.refresh()
    expect(wrong).toEqual([])
    expect(kids.size).toBe(4)
    for (const { world } of processes) expect((await verifyAudit(world)).problem).toBeUndefined()
    const keySet = (await twin.get('/.well-known/jwks.json')).body
    expect(new Set(consents.map((bundle) => verifyConsent(bundle, keySet).kid)).size).toBe(4)
  })
})

type Process = Pick<Site, 'world' | 'get'> & Pick<Awaited<ReturnType<typeof twinOf>>, 'post'>

const idOf = (cookie: string) => /foyer_enrollment=([\w-]+)\./.exec(cookie)?.[1]

/** One process takes the payment and signs the grant, the other lets the member in. */
async function joinOnOne(one: Process, other: Process, form: Record<string, string>) {
  const reply = await one.post('enrollment/add-enrollment', form)
  const entered = await other.post('office/session', { token: String(reply.json().token) })
  return reply.json().payment === 'Approved' && entered.statusCode === 200
}

/** One process marks the browser as trusted, the other reads the mark. */
async function signInOnOther(
  one: Process,
  other: Process,
  { username, password, cookie }: Record<'username' | 'password' | 'cookie', string>,
) {
  const signIn = (at: Process, cookie = '') => at.post('office/sign-in', { name: username, password }, { cookie })
  const first = await signIn(one, cookie)
  const second = await signIn(other, cookieOf(first))
  return first.statusCode === 200 && second.statusCode === 200
}

describe('what was made before the keys were changed', () => {
  it('23.2 a consent file verifies for good; a grant opens nothing once its key is retired', async () => {
    const site = await newSite()
    const { username } = await joinedMember(site)
    const id = await memberIdOf(site, username)
    const bundle = await consentBundle(site.world, id)
    const { privateKey, kid, publicJwk } = site.world.keys.signing
    await changeKeys(site)
    site.advance(400)
    await changeKeys(site)
    site.advance(86_400 * 900)
    expect(verifyConsent(bundle, (await site.get('/.well-known/jwks.json')).body)).toMatchObject({ kid })
    const forged = mintGrant(
      { ...site.world, keys: { ...site.world.keys, signing: { privateKey, kid, publicJwk } } },
      accessOf(id),
    )
    expect(await redeemGrant(site.world, forged)).toBeUndefined()
    expect(await redeemGrant(site.world, mintGrant(site.world, accessOf(id)))).toEqual(accessOf(id))
  })

  it('23.3 links in emails, recovery codes, the audit log and marks of browsers stay valid', async () => {
    const site = await newSite({ LIMIT_SIGN_INS_BY_NAME: '2/3600' })
    const { username, password, email, cookie } = await confirmed(site, await memberInOffice(site))
    const staff = await staffMember(site, 'manager')
    await act(site.world)
    const member_id = await memberIdOf(site, username)
    const unsubscribeToken = unsubscribeUrl(site.world, member_id).split('/').at(-1) ?? ''
    await site.post('office/forgotten-password', { name: username })
    await rekey(site.db, site.world.config, site.world.now())
    await site.world.keys.refresh()
    site.advance(601)
    const [reset] = await emailsTo(site, email, 'Reset your password') // the email is written after the change

    const guess = () => site.post('office/sign-in', { name: username, password: 'Wrong-Guess-77' })
    expect([await guess(), await guess(), await guess()].map(({ statusCode }) => statusCode)).toEqual([401, 401, 429])
    expect((await site.post('office/sign-in', { name: username, password }, { cookie })).statusCode).toBe(200)
    const link = { token: linkTokenIn(reset), password: 'New-Lantern-42' }
    expect((await site.post('office/new-password', link)).statusCode).toBe(200)
    expect(await unsubscribe(site.world, unsubscribeToken)).toBe(true)
    const signIn = { email: staff.email, password: STAFF_PASSWORD, code: staff.recovery_codes[0] ?? '' }
    expect((await site.post('console/sign-in/password', signIn)).statusCode).toBe(200)
    expect((await site.post('console/sign-in/password', { ...signIn, code: staff.code() })).statusCode).toBe(200)
    await act(site.world)
    expect((await verifyAudit(site.world)).problem).toBeUndefined()
  })

  it('23.3 a row of the audit log that nobody signed is still found', async () => {
    const site = await newSite()
    await act(site.world)
    await changeKeys(site)
    await act(site.world)
    await site.db.updateTable('audit').set({ subject: 'somebody else' }).where('position', '=', 1).execute()
    expect((await verifyAudit(site.world)).problem).toBe('Row 1 was changed.')
  })

  it('23.3 the seals of the security log stay intact', async () => {
    const site = await newSite()
    const sealEvents = async () => {
      await recordEvent(site.world, { kind: 'sign_in' })
      site.advance(301)
      await keepSecurityLog(site.world)
    }
    await sealEvents()
    await changeKeys(site)
    await sealEvents()
    expect(await verifyAudit(site.world)).toMatchObject({ rows: 2, security: { events: 2, unsealed: 0 } })
    expect((await verifyAudit(site.world)).problem).toBeUndefined()
  })

  it('23.3 a cookie of the old key counts for 30 days', async () => {
    const site = await newSite()
    const cookie = cookieOf(await site.get('/ana'))
    await changeKeys(site)
    const enrollment = async () => enrollmentIn(await site.get('/ana', { cookie }))
    for (const days of [0, 29]) {
      site.advance(days * 86_400)
      expect([undefined, idOf(cookie)], `${days} days`).toContain(await enrollment())
    }
    site.advance(2 * 86_400)
    expect([undefined, idOf(cookie)]).not.toContain(await enrollment())
  })

  it('23.4 new keys reset no limit', async () => {
    const site = await newSite({ LIMIT_DECLINES_BY_CARD: '2/86400', BREAKER_DECLINES: '3/600/50' })
    acceptRealCards(site)
    const pay = async (cc_number: string) =>
      site.post('enrollment/add-enrollment', await filledForm(site, { cc_number }))
    expect((await pay(realCards.noFunds)).json().payment).toBe('Declined')
    expect((await pay(realCards.noFunds)).json().payment).toBe('Declined')
    await changeKeys(site)
    expect((await pay(realCards.noFunds)).statusCode).toBe(429)
    expect((await pay(realCards.declined)).json().payment).toBe('Declined')
    await changeKeys(site)
    const needsCode = await pay(realCards.good) // three declines of this network, under three keys
    expect(needsCode.json().payment).not.toBe('Approved')
    site.advance(86_400)
    expect((await pay(realCards.noFunds)).json().payment).toBe('Declined')
  })
})

describe('keys that have leaked', () => {
  it('23.5 sign nothing that counts within seconds, and only the audit log needs them', async () => {
    const site = await newSite()
    const { username, email } = await joinedMember(site)
    const id = await memberIdOf(site, username)
    const { privateKey, kid, publicJwk } = site.world.keys.signing
    const cookie = cookieOf(await site.get('/ana'))
    await act(site.world)
    await site.post('office/forgotten-password', { name: username })
    const [reset] = await emailsTo(site, email, 'Reset your password')
    expect(linkTokenIn(reset)).not.toBe('')
    await rekey(site.db, site.world.config, site.world.now(), { revoke: true })
    await site.world.keys.refresh()
    site.advance(15)
    const forged = mintGrant(
      { ...site.world, keys: { ...site.world.keys, signing: { privateKey, kid, publicJwk } } },
      accessOf(id),
    )
    expect(await redeemGrant(site.world, forged)).toBeUndefined()
    expect((await site.get('/.well-known/jwks.json')).body).not.toContain(kid)
    expect([undefined, idOf(cookie)]).not.toContain(enrollmentIn(await site.get('/ana', { cookie })))
    const link = { token: linkTokenIn(reset), password: 'New-Lantern-42' }
    expect((await site.post('office/new-password', link)).statusCode).toBe(401)
    expect((await verifyAudit(site.world)).problem).toBeUndefined()
  })

  it('23.5 make no link that works later, neither before they are replaced nor in a process that has not heard of it', async () => {
    const site = await newSite({ LIMIT_LETTERS_BY_NAME: '9/3600' })
    const twin = await twinOf(site)
    open.push(twin)
    const { username, email } = await confirmed(site, await memberInOffice(site))
    const member_id = await memberIdOf(site, username)
    const linkFrom = async ({ world }: Pick<Site, 'world'>) => {
      const seed = { name: username, asked_at: world.now().toISOString(), network: '' }
      return (await makeResetLink(world, seed))?.token ?? ''
    }
    const redeem = async (token: string) =>
      (await site.post('office/new-password', { token, password: 'New-Lantern-42' })).statusCode

    await rekey(site.db, site.world.config, site.world.now(), { revoke: true })
    await site.world.keys.refresh()
    site.advance(14)
    const lastSeconds = await linkFrom(site)
    const address = await addressLinkToken(site.world, { id: member_id, email })
    site.advance(1)
    const behind = await linkFrom(twin)
    expect([await redeem(lastSeconds), await redeem(behind)]).toEqual([401, 401])
    expect((await site.post('office/confirm-email', { token: address })).statusCode).toBe(401)
    expect(await addressLinkToken(site.world, { id: member_id, email })).not.toBe(address)
    expect(await redeem(await linkFrom(site))).toBe(200)
  })
})
