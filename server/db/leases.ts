import { sql } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'

type Lease = Tables['lease']

/** Takes the lease until it expires, unless another caller still holds it. */
export async function acquireLease(db: Db, now: Date, { name, key, expires_at }: Lease): Promise<boolean> {
  const { rows } = await sql`
    insert into lease (name, key, expires_at) values (${name}, ${key}, ${expires_at})
    on conflict (name, key) do update set expires_at = excluded.expires_at where lease.expires_at <= ${now}
    returning key`.execute(db)
  return rows.length === 1
}

export async function leaseExpiry(db: Db, name: Lease['name'], key: string): Promise<Date | undefined> {
  const query = db.selectFrom('lease').select('expires_at').where('name', '=', name).where('key', '=', key)
  return (await query.executeTakeFirst())?.expires_at
}

export const releaseLease = (db: Db, name: Lease['name'], key: string) =>
  db.deleteFrom('lease').where('name', '=', name).where('key', '=', key).execute()
