/** The sponsor that the visitor joins under, beside the form on a desktop. */
export const SponsorCard = ({ name }: { name: string }) => (
  <div className="sponsor">
    <Initials name={name} />
    <p>
      You are joining with <strong>{name}</strong>
    </p>
  </div>
)

/** 'Main Office' → 'MO', 'Juniper, Fern & Daughters' → 'JF'. */
export const Initials = ({ name }: { name: string }) => (
  <span className="initials" aria-hidden="true">
    {name
      .split(/[^\p{L}\p{N}'’]+/u)
      .filter(Boolean)
      .slice(0, 2)
      .map((word) => [...word][0]?.toUpperCase())
      .join('')}
  </span>
)
