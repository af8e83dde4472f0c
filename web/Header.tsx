import { brand } from '#contract/brand.ts'
import { LockIcon } from './icons.tsx'

/** The brand, which leads to the sponsor's page or the main one, and a note, such as that the page is secure. The mark loads lazily, because it would delay the first paint. */
export function Header({ site = '', note, isTest }: { site?: string; note?: string; isTest?: boolean }) {
  return (
    <header className="header">
      <a className="brand" href={`/${site}`}>
        <img src={brand.mark} alt="" width="30" height="30" loading="lazy" />
        {brand.name}
      </a>
      {isTest && <p className="test-note">Test mode</p>}
      {note && (
        <p className="note">
          <span>{note}</span>
          <LockIcon />
        </p>
      )}
    </header>
  )
}
