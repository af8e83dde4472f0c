-- Where events are sent to.
create table webhook_endpoint (
  id               uuid primary key,
  url              text not null,
  description      text not null,
  types            text not null,                    -- with spaces between; empty: all
  scheme           text not null check (scheme in ('hmac', 'ed25519')),
  sealed           text not null,                    -- the secret, encrypted
  previous_sealed  text,                             -- during a rotation it signs too
  previous_until   timestamptz,
  state            text not null check (state in ('on', 'off', 'gone', 'failing')),
  state_at         timestamptz not null,
  position         bigint not null,                  -- of the last event that has its delivery
  failing_since    timestamptz,                      -- no success since then, and tries all the time
  failed_at        timestamptz,
  resume_at        timestamptz,                      -- the receiver asked for a pause
  lease            uuid,                             -- of the process that sends to it right now
  leased_until     timestamptz,
  created_at       timestamptz not null,
  check ((previous_sealed is null) = (previous_until is null))
);

-- An event for an endpoint. Its text is made from the event whenever it's sent.
create table webhook_delivery (
  id           uuid primary key,
  endpoint_id  uuid not null references webhook_endpoint on delete cascade,
  event_id     uuid not null,                        -- the same over all tries
  position     bigint,                               -- null for a test
  type         text not null,
  member_id    uuid,
  state        text not null check (state in ('waiting', 'pending', 'delivered', 'failed')),
  tries        integer not null default 0,
  next_at      timestamptz,                          -- 'waiting' has no clock: it waits for the member's earlier event
  status       integer,
  answer       text,                                 -- at most 1 kB
  took_ms      integer,
  happened_at  timestamptz not null,
  tried_at     timestamptz,
  unique (endpoint_id, position),
  check ((state = 'pending') = (next_at is not null))
);
-- One event of a member is on its way, never two.
create unique index webhook_delivery_turn on webhook_delivery (endpoint_id, member_id) where state = 'pending';
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_at) where state = 'pending';
create index webhook_delivery_waiting on webhook_delivery (endpoint_id, member_id, position) where state = 'waiting';
create index webhook_delivery_newest on webhook_delivery (endpoint_id, happened_at desc, id desc);
create index webhook_delivery_failed on webhook_delivery (endpoint_id, happened_at desc, id desc) where state = 'failed';
create index webhook_delivery_age on webhook_delivery (happened_at);
create index webhook_delivery_member on webhook_delivery (member_id);
