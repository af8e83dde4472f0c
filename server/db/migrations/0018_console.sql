-- The console: who works for the operator, how they sign in, and what they have done.

create table staff (
  id             uuid primary key,
  email          text not null,                   -- in lower case
  name           text not null,
  role           text not null check (role in ('owner', 'manager', 'support', 'finance', 'viewer')),
  password_hash  text,                            -- with the authenticator app, the way in without a passkey
  totp_sealed    text,                            -- the app's secret, encrypted with SECRET
  totp_step      bigint not null default 0,       -- the newest time step whose code was used: each works once
  created_at     timestamptz not null,
  removed_at     timestamptz                      -- the row stays, because the audit log refers to it
);
create unique index staff_email on staff (email) where removed_at is null;

create table staff_passkey (
  credential_id  text primary key,
  staff_id       uuid not null references staff,
  public_key     text not null,
  counter        bigint not null,
  transports     text[] not null,
  name           text not null,
  created_at     timestamptz not null,
  used_at        timestamptz
);
create index staff_passkey_staff on staff_passkey (staff_id);

-- Each replaces the code of the authenticator app once. Only keyed hashes are stored.
create table staff_recovery (
  staff_id  uuid not null references staff,
  key_hash  text not null,
  primary key (staff_id, key_hash)
);

-- A link that works once. Only its hash is stored.
create table staff_invitation (
  id          uuid primary key,
  key_hash    text not null unique,
  email       text,                               -- null: the first owner enters it
  role        text not null,
  invited_by  uuid references staff,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index staff_invitation_expired on staff_invitation (expires_at);

create table console_session (
  key_hash      text primary key,
  staff_id      uuid not null references staff,
  method        text not null check (method in ('passkey', 'password')),
  created_at    timestamptz not null,
  idle_until    timestamptz not null,             -- moves with every use
  proved_until  timestamptz not null,             -- until then, money and staff can be changed without another proof
  expires_at    timestamptz not null
);
create index console_session_staff on console_session (staff_id);
create index console_session_expired on console_session (expires_at);

-- What staff did. Rows are only ever added; each is chained to the one before by a keyed hash. The hash covers that of the
-- details, so that personal data in them can be erased without breaking the chain.
create table audit (
  position      bigint primary key,
  at            timestamptz not null,
  kind          text not null check (kind in ('act', 'security')),
  act           text not null,
  staff_id      uuid references staff,            -- null: somebody with access to the command line
  role          text not null,
  subject_kind  text not null,
  subject       text not null,
  details       text,                             -- JSON: before, after and reason; null once erased
  details_salt  text,
  details_hash  text not null,
  hash          text not null
);
create index audit_subject on audit (subject_kind, subject, position);
create index audit_staff on audit (staff_id, position) where staff_id is not null;

-- The end of the chain. Its lock puts the acts of all processes in one order.
create table audit_head (
  id        integer primary key check (id = 1),
  position  bigint not null,
  hash      text not null
);

-- What happened to a member that no other table remembers: emails that were sent, and sign-ins.
create table member_event (
  member_id  uuid not null references member,
  at         timestamptz not null,
  kind       text not null check (kind in ('email', 'sign_in')),
  what       text not null,                       -- which email
  primary key (member_id, at, kind, what)
);

-- The lists of members: each filter and each search follows an index.
alter table membership add column joined_at timestamptz;
update membership set joined_at = member.joined_at from member where member.id = membership.member_id;
alter table membership alter column joined_at set not null;
create index membership_listed on membership (state, joined_at, member_id);
create index membership_on_hold on membership (joined_at, member_id) where on_hold_since is not null;
create index membership_card on membership (card_last_four) where card_last_four is not null;
create index payment_card on payment (card_last_four) where card_last_four is not null;
drop index member_joined;
create index member_joined on member (joined_at, id);
create index member_canceled on member (joined_at, id) where cancelled_at is not null;
create index member_name on member (lower(last_name) collate "C", lower(first_name) collate "C", id);
create index member_first_name on member (lower(first_name) collate "C");
create index member_username on member (username collate "C");
create index member_email on member (lower(email) collate "C");
create index member_phone on member (mobile_phone collate "C");
create index member_phone_end on member (reverse(mobile_phone) collate "C");

-- What needs a person, and the figures of a day.
create index difference_open on difference (found_at) where cleared_at is null and resolved_at is null;
create index job_given_up on job (done_at) where done_at is not null and last_error is not null;
create index payment_collected on payment (updated_at) where state in ('captured', 'refunded', 'disputed');
create index payment_declined on payment (updated_at) where state = 'declined' and period > 0;
create index member_canceled_at on member (cancelled_at) where cancelled_at is not null;
