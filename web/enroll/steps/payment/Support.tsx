import { brand } from '#contract/brand.ts'

/** How to reach support, as in the page's footer. The reference becomes the email's subject. */
export function Support({ reference }: { reference?: string }) {
  const contact = document.querySelector<HTMLAnchorElement>('#help > a')
  if (!contact) return null
  const { href, textContent } = contact
  const isEmail = href.startsWith('mailto:')
  const subject = reference ? `?subject=${encodeURIComponent(`${brand.name}: payment ${reference}`)}` : ''
  return (
    <a href={isEmail ? href + subject : href} target="_blank" rel="noopener">
      {textContent}
    </a>
  )
}
