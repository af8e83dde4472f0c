import type { Sponsor } from '#contract/api.ts'

/** The sponsor that the visitor joins under, beside the form on a desktop. */
export const SponsorCard = (sponsor: Sponsor) => (
  <div className="sponsor">
    <Portrait {...sponsor} />
    <p>
      You are joining with <strong>{sponsor.name}</strong>
    </p>
  </div>
)

/** The sponsor's picture, or the initials: 'Main Office' → 'MO', 'Juniper, Fern & Daughters' → 'JF'. */
export const Portrait = ({ name, picture_url }: Sponsor) =>
  picture_url ? (
    <img className="initials" src={picture_url} alt="" />
  ) : (
    <span className="initials" aria-hidden="true">
      {name
        .match(/[\p{L}\p{N}'’]+/gu)
        ?.slice(0, 2)
        .map(([letter]) => letter)
        .join('')
        .toUpperCase()}
    </span>
  )
