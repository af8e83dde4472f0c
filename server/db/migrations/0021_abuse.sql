-- What staff do against abuse by hand, and what they look at first.

-- A network whose visitors may read the pages but not use the form. Deleted when it ends: an address is personal data.
create table network_block (
  id          uuid primary key,
  network     text not null unique,               -- '203.0.113.0/24'
  note        text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index network_block_expired on network_block (expires_at);

-- While there is a row, nobody can join.
create table joining_pause (
  id          integer primary key check (id = 1),
  message     text not null,                      -- what visitors read
  created_at  timestamptz not null,
  ends_at     timestamptz                         -- null: until somebody opens joining again
);

-- Each time a breaker has tripped, or was opened or closed by hand. Trips that still count are in breaker_trip.
create table breaker_event (
  breaker     text not null,
  at          timestamptz not null,
  kind        text not null check (kind in ('tripped', 'opened', 'closed')),
  open_until  timestamptz,
  expires_at  timestamptz not null,
  primary key (breaker, at, kind)
);
create index breaker_event_expired on breaker_event (expires_at);
insert into breaker_event (breaker, at, kind, expires_at)
  select breaker, tripped_at, 'tripped', tripped_at + interval '90 days' from breaker_trip;

-- Counting starts over after a breaker was closed by hand.
alter table breaker add column closed_at timestamptz;

-- How often each limit has refused somebody, by hour.
create table limit_refusal (
  name        text not null,
  hour        timestamptz not null,
  count       bigint not null,
  expires_at  timestamptz not null,
  primary key (name, hour)
);
create index limit_refusal_hour on limit_refusal (hour);

-- Declined cards of a week, by class.
create index payment_declined_class on payment (updated_at, decline_class) where state = 'declined';
