import { brand } from '#contract/brand.ts'

/** Ready texts to send with the link, which is added at the end. The member may edit them. */
export const invitations = () => [
  { name: 'Short', text: `I’m a member of ${brand.name}. Have a look:` },
  {
    name: 'Personal',
    text: `Hi! I joined ${brand.name} and thought of you. Joining takes two minutes, and I’m happy to answer your questions:`,
  },
  {
    name: 'Invitation',
    text: `You’re invited to ${brand.name}. Join with me, and get an office and a link of your own:`,
  },
]

export const INVITATION_MAX_LENGTH = 500

/** The text and the link, each on its own line. */
export const withLink = (text: string, link: string): string => [text.trim(), link].filter(Boolean).join('\n')

/** Ordinary links: they open the member's own programs and load nothing from other companies. */
export const sendingLinks = (message: string) => ({
  email: `mailto:?subject=${encodeURIComponent(`Join me at ${brand.name}`)}&body=${encodeURIComponent(message.replaceAll('\n', '\r\n'))}`,
  whatsapp: `https://wa.me/?text=${encodeURIComponent(message)}`,
  sms: `sms:?&body=${encodeURIComponent(message)}`, // iOS needs the &, Android ignores it
})
