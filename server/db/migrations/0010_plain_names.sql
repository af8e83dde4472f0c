-- One table for each thing that `spent` held. The previous version cannot run on this schema: stop every old process first.

-- A grant, email link or captcha solution that works once.
create table one_time_key (
  kind        text not null,
  key         text not null,
  used_by     text,                       -- the same caller may repeat its request
  expires_at  timestamptz not null,
  primary key (kind, key)
);
create index one_time_key_expired on one_time_key (expires_at);
insert into one_time_key (kind, key, used_by, expires_at)
  select kind, key, used_by, expires_at from spent where kind in ('grant', 'letter', 'captcha');

-- Exclusive rights that expire: to send the next code to a phone number, to run the next reconciliation.
create table lease (
  name        text not null,
  key         text not null,
  expires_at  timestamptz not null,
  primary key (name, key)
);
create index lease_expired on lease (expires_at);
insert into lease (name, key, expires_at)
  select case kind when 'comparison' then 'reconciliation' else kind end, key, expires_at from spent
  where kind in ('code', 'comparison');

-- The circuit breakers, and each time one has tripped.
create table breaker (
  name        text primary key,
  open_until  timestamptz not null
);
insert into breaker (name, open_until) select key, expires_at from spent where kind = 'breaker';

create table breaker_trip (
  breaker     text not null,
  tripped_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (breaker, tripped_at)
);
insert into breaker_trip (breaker, tripped_at, expires_at)
  select substring(kind from 9), cast(key as timestamptz), expires_at from spent where kind like 'breaker %';

-- When the gateway's books and ours were last compared.
create table reconciliation_run (
  finished_at  timestamptz primary key,
  expires_at   timestamptz not null
);
insert into reconciliation_run (finished_at, expires_at)
  select cast(key as timestamptz), expires_at from spent where kind = 'compared';

drop table spent;

-- A link sent by email that works once: for a new password, or to confirm a new email address. Only its hash is stored.
create table email_link (
  key_hash    text primary key,
  purpose     text not null check (purpose in ('password', 'email')),
  member_id   uuid not null references member,
  email       text,                       -- the new address that the link confirms
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index email_link_member on email_link (member_id, purpose);
create index email_link_expired on email_link (expires_at);
insert into email_link (key_hash, purpose, member_id, email, created_at, expires_at)
  select key_hash, purpose, member_id, email, created_at, expires_at from letter_key;
drop table letter_key;
