-- What happened to accounts: sign-ins, changes, limits. Rows are only ever added. After a few minutes each gets its position and a keyed
-- hash over the row and the hash before it; a row of the audit log then holds the last hash, so that a later change shows.
create table security_event (
  id         uuid primary key,
  position   bigint unique,                       -- null until sealed
  at         timestamptz not null,
  last_at    timestamptz not null,                -- of several that share this row
  kind       text not null,
  member_id  uuid,                                -- no foreign key: a row that waits for a member's row would delay sign-ins
  staff_id   uuid,
  network    text,                                -- a keyed hash
  details    text not null,                       -- JSON without names, addresses or secrets
  count      integer not null,                    -- how many of the same kind, member and network within a minute
  slot       text unique,                         -- what such events have in common; null once sealed
  hash       text                                 -- null until sealed
);
create index security_event_at on security_event (at);
create index security_event_open on security_event (at, id) where position is null;
create index security_event_member on security_event (member_id, at) where member_id is not null;

-- The list of acts leaves the seals out: there may be hundreds between two acts.
create index audit_listed on audit (position) where act <> 'seal_events';
create index audit_seals on audit (act, position) where subject_kind = 'security_log';
