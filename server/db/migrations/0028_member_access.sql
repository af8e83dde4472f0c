-- How a member signs in and out: sessions that can be listed and ended one by one, and an optional second factor.

-- Raised whenever all sessions of a member end. A grant, or a sign-in that waits for its second factor, carries the number that it was made with.
alter table member add column access_version integer not null default 0;

alter table office_session add column id uuid not null default gen_random_uuid();
alter table office_session add column device text not null default 'Unknown browser';
alter table office_session add column idle_until timestamptz;
update office_session set idle_until = expires_at;
alter table office_session alter column idle_until set not null;
create unique index office_session_id on office_session (id);

-- The second factor of a member, who may have an authenticator app, passkeys, or both.
create table member_app (
  member_id   uuid primary key references member,
  sealed      text not null,                      -- the app's secret, encrypted with SECRET
  step        bigint not null,                    -- the newest time step whose code was used: each works once
  created_at  timestamptz not null
);

create table member_passkey (
  credential_id  text primary key,
  member_id      uuid not null references member,
  public_key     text not null,
  counter        bigint not null,
  transports     text[] not null,
  name           text not null,                   -- the browser that made it
  created_at     timestamptz not null,
  used_at        timestamptz
);
create index member_passkey_member on member_passkey (member_id);

-- Each replaces the second factor once. Only keyed hashes are stored.
create table member_recovery (
  member_id  uuid not null references member,
  key_hash   text not null,
  primary key (member_id, key_hash)
);

-- A sign-in whose password was right, and which waits for the second factor.
create table pending_sign_in (
  key_hash        text primary key,
  member_id       uuid not null references member,
  access_version  integer not null,
  tries           integer not null default 0,
  expires_at      timestamptz not null
);
create index pending_sign_in_member on pending_sign_in (member_id);
create index pending_sign_in_expired on pending_sign_in (expires_at);
