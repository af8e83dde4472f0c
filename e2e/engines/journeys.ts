import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { cards } from '../../server/gateways/payment/cards.ts'
import { type Browser, createBrowser } from './browser.ts'
import type { Engine, WindowOptions } from './driver.ts'
import { startProxy } from './proxy.ts'
import {
  advanceClock,
  codeTo,
  countPayments,
  createMember,
  fillAccount,
  fillAccountCreation,
  fillPayment,
  newVisitor,
  payAndLogIn,
  reachPayment,
} from './visitor.ts'

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 900 }

/** The journeys that every engine must be able to make, on a site of its own. */
export function describeJourneys(name: 'Firefox' | 'WebKit', start: () => Promise<Engine>) {
  const sites = inject('sites')
  const site = sites[name]
  let engine: Engine
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(() => engine?.close())

  const saveScreenshot = (title: string, png: string) => {
    mkdirSync('test-results', { recursive: true })
    writeFileSync(`test-results/${name}-${title.replaceAll(/\W+/g, '-')}.png`, Buffer.from(png, 'base64'))
  }

  /** A window of the size of a phone, which is closed after the test. A failed test leaves a screenshot. */
  async function openBrowser(origin = site, options: WindowOptions = {}): Promise<Browser> {
    const driver = await engine.openWindow(options)
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') saveScreenshot(task.name, await driver.screenshot())
      await driver.close()
    })
    await driver.resize(phone.width, phone.height)
    return createBrowser(driver, origin)
  }

  const openNetwork = async () => {
    const network = await startProxy(site)
    onTestFinished(network.close)
    return network
  }

  describe(name, () => {
    test('18.1 10.1 a visitor joins under a sponsor and arrives in the office', async () => {
      const visitor = newVisitor()
      const browser = await openBrowser()
      await reachPayment(browser, visitor)
      await fillPayment(browser, visitor)
      expect(await browser.value('cc_number')).toBe('4242 4242 4242 4242')
      expect(await browser.value('state')).toBe('NV')
      const keyboardOf = (name: string) => browser.evaluate((id) => document.getElementById(id)?.inputMode, name)
      expect([await keyboardOf('cc_number'), await keyboardOf('cc_cvv')]).toEqual(['numeric', 'numeric'])
      await browser.sees('Thank you.')
      expect(await browser.shows('No puzzles'), 'the captcha’s note beside its outcome').toBe(false)
      await payAndLogIn(browser)
      await browser.sees(`Welcome, ${visitor.first_name}`)
      await browser.sees(`/${visitor.username}`)
    })

    test('18.1 10.2 a declined card shows its dialog, and the next card is charged once', async () => {
      const before = await countPayments(site)
      const visitor = newVisitor()
      const browser = await openBrowser()
      await reachPayment(browser, visitor)
      await fillPayment(browser, visitor, cards.declined)
      await browser.press('Confirm and Pay')
      await browser.sees('Payment Declined')
      await browser.sees('Your payment has been declined. Please check your payment details and try again.')
      await browser.press('OK')
      await browser.sees('Nothing was charged.')
      expect(await browser.value('address')).toBe(visitor.address)
      expect(await browser.value('cc_cvv')).toBe(visitor.cc_cvv)
      await browser.fill('cc_number', visitor.cc_number)
      await payAndLogIn(browser)
      const after = await countPayments(site)
      expect([after.declined - before.declined, after.charged - before.charged]).toEqual([1, 1])
    })

    test('18.1 12.3 a reload stays on the step and keeps everything that is not secret', async () => {
      const visitor = newVisitor()
      const browser = await openBrowser()
      await browser.open('/ana')
      await fillAccount(browser, visitor)
      await browser.reload()
      await expect.poll(() => browser.value('last_name')).toBe(visitor.last_name)
      await browser.press('Next')
      await fillAccountCreation(browser, visitor)
      await browser.reload()
      await expect.poll(() => browser.value('username')).toBe(visitor.username)
      expect(await browser.value('password')).toBe('')
      await browser.fill('password', visitor.password)
      await browser.press('Next')
      await browser.fill('address', visitor.address)
      await browser.reload()
      await browser.sees('For your safety we don’t keep your password and card.')
      await browser.fill('password', visitor.password)
      await browser.press('Next')
      await expect.poll(() => browser.value('address')).toBe(visitor.address)
    })

    test('18.1 12.1 Back and Forward step through the wizard and keep what was typed', async () => {
      const visitor = newVisitor()
      const browser = await openBrowser()
      await reachPayment(browser, visitor)
      await browser.fill('city', visitor.city)
      await browser.back()
      await expect.poll(() => browser.value('email')).toBe(visitor.email)
      await browser.back()
      await expect.poll(() => browser.value('first_name')).toBe(visitor.first_name)
      await browser.forward()
      await expect.poll(() => browser.value('password')).toBe(visitor.password)
      await browser.forward()
      await expect.poll(() => browser.value('city')).toBe(visitor.city)
      expect(await browser.evaluate(() => location.pathname)).toBe('/ana')
    })

    test('18.1 13.1 a phone is confirmed with the code from its text message, after a wrong one', async () => {
      const visitor = newVisitor()
      const browser = await openBrowser(sites.withPhoneCodes)
      const enterCode = async (code: string, reply: string) => {
        await browser.fill('code', code) // a complete code is sent by itself
        await browser.sees(reply)
      }
      await browser.open('/ana')
      await fillAccount(browser, visitor)
      await browser.press('Next')
      await browser.sees('Verification code has been successfully sent to your phone.')
      await browser.press('OK')
      const code = await codeTo(sites.withPhoneCodes, visitor.phone)
      await enterCode(code === '000000' ? '000001' : '000000', 'This code is incorrect.')
      await enterCode(code, 'Your phone number has been successfully verified.')
      await browser.press('Proceed')
      await browser.sees('Create your account')
    })

    test('18.1 4.16 15.9 a member opens the office with an early press, finds link and receipt, cancels, resumes and signs out', async () => {
      const network = await openNetwork()
      network.hold('/assets/')
      const member = await createMember(site)
      const browser = await openBrowser(network.url)
      await browser.open(new URL(member.grantLink).pathname)
      await browser.press('Yes, open my office')
      network.release()
      await browser.waitForPath('/office')
      await browser.waitForScript()
      await browser.sees(`/${member.username}`)
      await browser.sees('Payments')
      await browser.evaluate(() => document.querySelector('.link-more')?.setAttribute('open', ''))
      const qrCodeWidth = await browser.evaluate(() => document.querySelector('.link-code img')?.clientWidth)
      expect(qrCodeWidth, 'large enough to scan').toBeGreaterThan(130)
      await browser.press('Cancel membership')
      await browser.sees('Cancel your membership?')
      await browser.press('Cancel membership')
      await browser.sees('Your membership is canceled.')
      await browser.press('Resume membership')
      await browser.sees('Your membership has been resumed.')
      await browser.press('Sign out')
      await browser.sees('You are signed out.')
    })

    test('18.1 15.1 a member signs in with the password, after a wrong one', async () => {
      const member = await createMember(site)
      const browser = await openBrowser()
      await browser.open('/office')
      await browser.fill('name', member.email)
      await browser.fill('password', 'Wrong-Sesame-7')
      await browser.key('Enter')
      await browser.sees('Wrong username or password.')
      expect(await browser.value('name')).toBe(member.email)
      await browser.fill('password', member.password)
      await browser.key('Enter')
      await browser.sees(`Welcome, ${member.first_name}`)
    })

    test('18.1 1.1 text typed before the script arrives is kept, and an early press of Next counts', async () => {
      const network = await openNetwork()
      network.hold('/assets/')
      const visitor = newVisitor()
      const browser = await openBrowser(network.url)
      await browser.open('/ana')
      await fillAccount(browser, visitor)
      await browser.press('Next')
      expect(await browser.shows('Tell us about yourself')).toBe(true)
      await browser.resize(desktop.width, desktop.height)
      await browser.sees('$99.00')
      network.release()
      await browser.sees('Create your account')
      await browser.press('Previous')
      await expect.poll(() => browser.value('first_name')).toBe(visitor.first_name)
      expect(await browser.value('mobile_phone')).toMatch(/555/)
    })

    test('18.2 4.17 a browser that keeps neither cookies nor storage can join, and is told what the office needs', async () => {
      const visitor = newVisitor()
      const browser = await openBrowser(site, { blockStorage: true })
      await reachPayment(browser, visitor)
      const isKept = await browser.evaluate(() => {
        try {
          localStorage.setItem('test', '1')
          return true
        } catch {
          return document.cookie !== ''
        }
      })
      expect(isKept).toBe(false)
      await browser.back()
      await expect.poll(() => browser.value('username')).toBe(visitor.username)
      await browser.forward()
      await browser.sees('Confirm and Pay')
      await fillPayment(browser, visitor)
      await payAndLogIn(browser)
      await browser.sees('The office needs cookies')
    })

    test('18.1 12.5 values that were filled in without events are read when the form is submitted', async () => {
      const browser = await openBrowser()
      await browser.open('/ana')
      await browser.waitForScript()
      await browser.evaluate(() => {
        const values = { first_name: 'Zoë', last_name: 'Example', mobile_phone: '+1 202-555-0123' }
        for (const [id, value] of Object.entries(values)) Object.assign(document.getElementById(id) ?? {}, { value })
      })
      await browser.press('Next')
      await browser.sees('Create your account')
    })

    test('18.1 10.7 a dialog takes the focus, closes with Esc and on its backdrop, and gives the focus back', async () => {
      const browser = await openBrowser()
      await reachPayment(browser, newVisitor())
      const focused = () =>
        browser.evaluate(() => document.querySelector(':focus')?.textContent || document.activeElement?.tagName)
      const isModal = () => browser.evaluate(() => Boolean(document.querySelector('dialog:modal')))
      for (const close of [() => browser.key('Escape'), () => browser.clickAt({ x: 5, y: 5 })]) {
        await browser.press('Membership Agreement')
        await expect.poll(isModal).toBe(true)
        await expect.poll(focused).toBe('Membership Agreement')
        expect(await browser.evaluate(() => Boolean(document.activeElement?.closest('dialog')))).toBe(true)
        await browser.until('the dialog to rest', () =>
          browser.evaluate(() => document.querySelector('dialog')?.getAnimations().length === 0),
        )
        await close()
        await expect.poll(isModal).toBe(false)
        await expect.poll(focused).toBe('Membership Agreement')
      }
    })

    test('18.1 10.21 10.23 10.24 the answer to a payment is lost, then the network at the welcome: one charge, and the office opens', async () => {
      const before = await countPayments(site)
      const network = await openNetwork()
      const visitor = newVisitor()
      const browser = await openBrowser(network.url)
      await reachPayment(browser, visitor)
      await fillPayment(browser, visitor)
      network.hold('/api/enrollment/add-enrollment')
      await browser.press('Confirm and Pay')
      await browser.sees('Contacting your bank…')
      await browser.sees('Still waiting for your bank. Please keep this page open.')
      network.cut()
      network.release()
      network.mend()
      await browser.sees('Welcome to')
      await browser.sees('Your receipt')
      network.cut()
      await browser.press('Login')
      await browser.sees('We can’t reach your office at the moment.')
      expect(await browser.shows('Your receipt')).toBe(true)
      network.mend()
      await browser.until('the office', () => browser.evaluate(() => location.pathname.startsWith('/office')))
      const after = await countPayments(site)
      expect([after.declined - before.declined, after.charged - before.charged]).toEqual([0, 1])
    })

    test('18.1 15.21 17.8 a past-due member sees why, pays with a new card, and finds the payment in the list', async () => {
      const member = await createMember(site, { cc_number: cards.renewalDeclinedOnce })
      await advanceClock(site, 31)
      const browser = await openBrowser()
      await browser.open('/office')
      await browser.fill('name', member.email)
      await browser.fill('password', member.password)
      await browser.key('Enter')
      await browser.sees('Payment due')
      await browser.sees('Your bank declined $99.00 for this month. Nothing was charged.')
      await browser.press('Update your card')
      await browser.sees('we charge $99.00 to it right away')
      await browser.fill('cc_number', cards.good)
      await browser.choose('cc_month', member.cc_month)
      await browser.choose('cc_year', member.cc_year)
      await browser.fill('cc_cvv', member.cc_cvv)
      await browser.press('#captcha')
      await browser.press('Save card and pay $99.00')
      await browser.sees('Pay $99.00 now?')
      await browser.press('Pay $99.00')
      await browser.sees('Your new card is on file, and your membership is paid.')
      expect(await browser.shows('Payment due')).toBe(false)
      await expect.poll(() => browser.evaluate(() => document.querySelectorAll('.payments li').length)).toBe(2)
    })
  })
}
