import type { Sponsor } from '#contract/api.ts'

/** The sponsor that the visitor joins under. */
export function SponsorCard({ sponsor }: { sponsor: Sponsor }) {
  return (
    <div className="sponsor">
      <span className="initials" aria-hidden="true">
        {initials(sponsor.name)}
      </span>
      <p>
        You are joining with <strong>{sponsor.name}</strong>
      </p>
    </div>
  )
}

/** 'Main Office' → 'MO', 'Juniper, Fern & Daughters' → 'JF'. */
const initials = (name: string) =>
  name
    .split(/[^\p{L}\p{N}'’]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('')
