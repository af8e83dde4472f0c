import { expect, test } from 'vitest'
import { INVITATION_MAX_LENGTH, invitations, sendingLinks, withLink } from './invitations.ts'

const link = 'https://a.example/zoe'

test('15.17 every ready text is short, and ends with the link', () => {
  for (const { text } of invitations()) {
    expect(text.length).toBeLessThan(INVITATION_MAX_LENGTH)
    expect(withLink(text, link)).toBe(`${text}\n${link}`)
  }
  expect(withLink('  ', link)).toBe(link)
})

test('15.17 email, WhatsApp and text message get the whole text, whatever is in it', () => {
  const message = withLink('50% & more? #1 + ünï 😀', link)
  const { email, whatsapp, sms } = sendingLinks(message)
  expect(new URL(whatsapp).searchParams.get('text')).toBe(message)
  expect(new URL(whatsapp).host).toBe('wa.me')
  const bodyOf = (url: string) => decodeURIComponent(/[?&]body=([^&#]*)$/.exec(url)?.[1] ?? '')
  expect(bodyOf(email)).toBe(message.replace('\n', '\r\n'))
  expect(email).toMatch(/^mailto:\?subject=Join%20me%20at%20\w+&body=/)
  expect([sms.startsWith('sms:?&body='), bodyOf(sms)]).toEqual([true, message])
})
