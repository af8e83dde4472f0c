-- What the operator keeps: sponsors, packages, documents.

create table sponsor (
  id          uuid primary key,
  site        text not null unique,
  name        text not null,
  active      boolean not null,
  renamed_to  text,                       -- the site that took over; this one only points there
  member_id   uuid,                       -- set when the sponsor is a member of ours
  created_at  timestamptz not null
);

create table package (
  product_id           integer primary key,
  product_category_id  integer not null,
  language_id          integer not null,
  name                 text not null,
  description          text not null,
  image_url            text not null,
  price_cents          integer not null check (price_cents >= 0),
  billing_interval     text not null check (billing_interval in ('month', 'once')),
  is_recurring         boolean not null,
  is_special           boolean not null,
  ships                boolean not null,
  position             integer not null
);
create index package_shelf on package (product_category_id, language_id, position);

-- Every text that was ever shown for acceptance, by its own hash: what somebody accepted can never change.
create table legal_text (
  sha256   text primary key,
  content  text not null
);

create table legal_document (
  id                   integer primary key,
  version              integer not null,
  title                text not null,
  status               text not null,
  display_on_checkout  text[] not null,
  sha256               text not null references legal_text
);

-- One namespace. A username is a sponsor's site, so both are claimed here, and so are email addresses.
-- An enrollment claims before any money moves; a declined one lets go.
create table claim (
  kind           text not null check (kind in ('username', 'email')),
  value          text not null,
  enrollment_id  uuid,                    -- null: claimed by the operator
  primary key (kind, value)
);
create index claim_enrollment on claim (enrollment_id) where enrollment_id is not null;

-- One visitor's attempt to join, and each try to pay for it.

create table enrollment (
  id          uuid primary key,
  created_at  timestamptz not null
);

create table payment (
  enrollment_id    uuid not null references enrollment,
  attempt          integer not null,
  state            text not null check (state in ('reserved', 'authorizing', 'authorized', 'enrolled', 'captured',
                     'declined', 'unknown', 'review', 'abandoned', 'voided', 'capture_failed')),
  amount_cents     integer not null,
  details          jsonb,                 -- the answers without card and password; let go when the attempt ends
  password_hash    text,
  gateway          text not null,
  transaction_id   text,
  vault_reference  text,
  decline_class    text,
  leased_until     timestamptz not null,  -- nobody else touches the attempt before
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (enrollment_id, attempt)
);
create index payment_open on payment (leased_until)
  where state in ('reserved', 'authorizing', 'authorized', 'unknown', 'review');

create table member (
  id               uuid primary key,
  enrollment_id    uuid not null unique references enrollment,
  sponsor_id       uuid not null references sponsor,
  level            text not null,
  username         text not null unique,
  email            text not null,
  password_hash    text not null,
  first_name       text not null,
  last_name        text not null,
  business_name    text not null,
  mobile_phone     text not null,
  address          text not null,
  address2         text not null,
  city             text not null,
  country          text not null,
  state            text not null,
  post_code        text not null,
  vault_reference  text,
  joined_at        timestamptz not null
);
create index member_sponsor on member (sponsor_id, joined_at);
create index member_joined on member (joined_at);

create table orders (
  id              uuid primary key,
  member_id       uuid not null references member,
  attempt         integer not null,
  grand_total     integer not null,       -- cents
  ship_address    text not null,
  ship_address2   text not null,
  ship_city       text not null,
  ship_country    text not null,
  ship_state      text not null,
  ship_zip_code   text not null,
  created_at      timestamptz not null
);
create index orders_member on orders (member_id);

create table order_line (
  order_id     uuid not null references orders,
  product_id   integer not null,
  list         text not null,             -- which list of the order it came in
  name         text not null,             -- as it was when bought
  price_cents  integer not null,
  primary key (order_id, product_id)
);

create table acceptance (
  member_id    uuid not null references member,
  agreement    text not null,             -- agreement_1, agreement_2
  title        text not null,
  version      integer not null,
  sha256       text not null references legal_text,
  accepted_at  timestamptz not null,
  primary key (member_id, agreement, title, sha256)
);

-- What has to happen after a commit. Written in the same transaction; done at least once.
create table job (
  id            uuid primary key,
  kind          text not null,
  payload       jsonb not null,
  run_at        timestamptz not null,
  leased_until  timestamptz,
  tries         integer not null default 0,
  last_error    text,
  done_at       timestamptz
);
create index job_due on job (run_at) where done_at is null;

-- A confirmed phone belongs to one enrollment and one number.
create table phone_check (
  enrollment_id  uuid not null,
  mobile_phone   text not null,
  sends          integer not null,
  sent_at        timestamptz not null,
  verified_at    timestamptz,
  primary key (enrollment_id, mobile_phone)
);

-- The embedded parts' own memory: codes they would have sent, messages they would have delivered.
create table sandbox_code (
  mobile_phone  text primary key,
  code_hash     text not null,
  tries         integer not null,
  expires_at    timestamptz not null
);

create table message (
  id          uuid primary key,
  channel     text not null check (channel in ('mail', 'sms', 'call')),
  recipient   text not null,
  subject     text not null,
  body        text not null,
  created_at  timestamptz not null
);
create index message_newest on message (created_at);
create index message_recipient on message (recipient, created_at);

-- Shared by all processes: what has been counted, what has been used once, which keys sign.
create table limit_count (
  name         text not null,
  key          text not null,
  window_start timestamptz not null,
  count        integer not null,
  expires_at   timestamptz not null,
  primary key (name, key, window_start)
);
create index limit_count_expired on limit_count (expires_at);

create table spent (
  kind        text not null,
  key         text not null,
  expires_at  timestamptz not null,
  primary key (kind, key)
);
create index spent_expired on spent (expires_at);

create table server_key (
  name        text primary key,
  sealed      text not null,
  created_at  timestamptz not null
);

create table page_hit (
  site     text not null,
  day      date not null,
  visitor  text not null,                 -- keyed hash of the day, address and browser: says nothing about a person
  primary key (site, day, visitor)
);
