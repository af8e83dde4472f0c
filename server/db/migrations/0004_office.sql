-- A cancelled membership lasts as long as the paid month; then its site is inactive.
alter table member add column cancelled_at timestamptz;
alter table member add column ends_at timestamptz;
alter table sponsor add column active_until timestamptz;
create index sponsor_member on sponsor (member_id) where member_id is not null;

-- How long the page that paid may still hand out keys to the office; signing out ends it.
alter table member add column welcome_until timestamptz;

-- A word sent by letter, good once: for a new password, or for a new email address. Here is only its hash.
create table letter_key (
  key_hash    text primary key,
  purpose     text not null check (purpose in ('password', 'email')),
  member_id   uuid not null references member,
  email       text,                       -- the new address that the word confirms
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index letter_key_member on letter_key (member_id, purpose);
create index letter_key_expired on letter_key (expires_at);

-- Which sponsors' links led to an enrollment, when and why: written once, each row sealed with the hash of the one before.
create table sponsor_touch (
  enrollment_id  uuid not null references enrollment,
  position       integer not null,
  site           text not null,           -- the word in the address that was opened
  why            text not null,
  touched_at     timestamptz not null,
  hash           text not null,
  primary key (enrollment_id, position)
);

-- What the record was when its member joined: nothing may follow, and nothing may be missing at its end.
alter table member add column touches integer;
alter table member add column touch_seal text;

-- Letters are plain text and HTML, and may bring a file.
alter table message add column html text not null default '';
alter table message add column attachment jsonb;
