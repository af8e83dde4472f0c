import { describe, expect, it } from 'vitest'
import type { Email, MailGateway } from '#server/gateways/mail/port.ts'

type TestSetup = {
  gateway: MailGateway
  delivered: () => Promise<Email[]>
  breakDown: () => Promise<void>
  close: () => Promise<void>
}

const plain: Email = {
  to: 'zoe@mail.example',
  subject: 'Grüße, Zoë',
  text: 'First line\n\n.\nA dot alone, and ünïcode 😀\n',
  html: '<!doctype html>\n<p>A dot alone,\n.\nand <b>ünïcode</b> 😀 &amp; =3D</p>\n',
}
const withFile: Email = {
  ...plain,
  subject: `A subject that is longer than a line may be ${'and longer '.repeat(12)}still`,
  attachment: { filename: 'consent.json', content: `{"payload":"${'x'.repeat(2000)}","ü":"😀\\n"}\n` },
}

/** Tests that every mail adapter must pass. */
export const testMailAdapter = (name: string, open: () => Promise<TestSetup>) =>
  describe(`the mail gateway ${name}`, () => {
    it('15.12 delivers text, HTML and attachment unchanged, and throws when it fails', async () => {
      const { gateway, delivered, breakDown, close } = await open()
      await gateway.send(plain)
      expect(await delivered()).toEqual([plain])
      await gateway.send(withFile)
      expect((await delivered()).toSorted((a, b) => b.subject.localeCompare(a.subject))).toEqual([plain, withFile])
      await breakDown()
      await expect(gateway.send(plain)).rejects.toThrow()
      await close()
    })
  })
