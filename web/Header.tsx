import { brand } from '#contract/brand.ts'
import { LockIcon } from './icons.tsx'

/**
 * The brand, and what a visitor wants to know about a page that will ask for a card. The mark may come after the first paint: a
 * drawing in a file costs a slow phone more than all the words.
 */
export function Header({ note }: { note?: string }) {
  return (
    <header className="header">
      <a className="brand" href="/">
        <img src={brand.mark} alt="" width="30" height="30" loading="lazy" />
        {brand.name}
      </a>
      {note && (
        <p className="safe">
          <span>{note}</span>
          <LockIcon />
        </p>
      )}
    </header>
  )
}
