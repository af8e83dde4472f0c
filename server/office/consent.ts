import { statement } from '#server/db/statement.ts'
import { findMember, type MemberWithSponsor } from '#server/enrollment/members.ts'
import { signJws } from '#server/secrets/secrets.ts'
import type { World } from '#server/world.ts'

/** What is signed here is no grant, and no grant is this: each demands its own. */
export const CONSENT_JWS_TYPE = 'foyer-consent'

/** What a member accepted, text by text, in the order in which it stood before them. */
export const acceptedBy = async ({ db }: Pick<World, 'db'>, member_id: string) =>
  (await readAccepted(db, { member_id })).rows

const readAccepted = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('acceptance')
    .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
    .select(['agreement', 'title', 'version', 'accepted_at', 'acceptance.sha256', 'content'])
    .where('member_id', '=', member_id)
    .orderBy('agreement')
    .orderBy('title'),
)

/** What a member accepted, for a drawer or a court. */
export async function consentBundle(world: World, member_id: string): Promise<string> {
  const [member, accepted] = await Promise.all([findMember(world, member_id), acceptedBy(world, member_id)])
  return signedConsent(world, member, accepted)
}

/** The exact texts, signed: a flattened JWS (RFC 7515) that scripts/verify-consent.mjs checks with the public key alone. */
export function signedConsent(
  { config, keys, now }: World,
  { username, first_name, last_name, joined_at, touch_seal, sponsor_name, sponsor_site }: MemberWithSponsor,
  accepted: Awaited<ReturnType<typeof acceptedBy>>,
): string {
  const said = {
    issuer: config.PUBLIC_URL,
    member: { username, first_name, last_name, joined_at },
    /** With the last seal of the record of links: one that is rewritten as a whole no longer fits. */
    sponsor: { name: sponsor_name, site: sponsor_site, record: touch_seal },
    accepted,
    made_at: now(),
  }
  return JSON.stringify(signJws(keys.signing, CONSENT_JWS_TYPE, said)) // no byte in it that may be changed
}
