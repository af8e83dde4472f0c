import { describe, expect, it } from 'vitest'
import type { Letter, MailGateway } from './port.ts'

type Opened = {
  gateway: MailGateway
  delivered: () => Promise<Letter[]>
  breakDown: () => Promise<void>
  close: () => Promise<void>
}

/** What Foyer relies on, whoever carries the letters. */
export const keepsMailPromise = (name: string, open: () => Promise<Opened>) =>
  describe(`the mail gateway ${name}`, () => {
    it('delivers a letter as it was written, and throws when it cannot', async () => {
      const { gateway, delivered, breakDown, close } = await open()
      const letter = {
        to: 'zoe@mail.example',
        subject: 'Grüße, Zoë',
        text: 'First line\n\n.\nA dot alone, and ünïcode 😀\n',
      }
      await gateway.send(letter)
      expect(await delivered()).toEqual([letter])
      await breakDown()
      await expect(gateway.send(letter)).rejects.toThrow()
      await close()
    })
  })
