import { statement } from '#server/db/statement.ts'
import { signJws } from '#server/secrets/secrets.ts'
import type { World } from '#server/world/world.ts'
import { findMember, type MemberWithSponsor } from './members.ts'

/** A grant is signed with the same key but has another type, so neither can be used as the other. */
export const CONSENT_JWS_TYPE = 'foyer-consent'

/** The texts a member accepted, in the order the checkout shows them. */
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

/** The signed record of what a member accepted. */
export async function consentBundle(world: World, member_id: string): Promise<string> {
  const [member, accepted] = await Promise.all([findMember(world, member_id), acceptedBy(world, member_id)])
  return signedConsent(world, member, accepted)
}

/**
 * A flattened JWS (RFC 7515) of the exact texts, with all names as they were on the day the member joined.
 * scripts/verify-consent.mjs verifies it with the public key alone.
 */
export function signedConsent(
  { config, keys, now }: World,
  member: MemberWithSponsor,
  accepted: Awaited<ReturnType<typeof acceptedBy>>,
): string {
  const { joined_at, touch_seal, sponsor_site } = member
  const payload = {
    issuer: config.PUBLIC_URL,
    member: {
      username: member.joined_username ?? member.username,
      first_name: member.joined_first_name ?? member.first_name,
      last_name: member.joined_last_name ?? member.last_name,
      joined_at,
    },
    /** `record` is the last hash of the chain of opened links: if the chain is rewritten, it no longer matches. */
    sponsor: { name: member.joined_sponsor_name ?? member.sponsor_name, site: sponsor_site, record: touch_seal },
    accepted,
    made_at: now(),
  }
  return JSON.stringify(signJws(keys.signing, CONSENT_JWS_TYPE, payload))
}
