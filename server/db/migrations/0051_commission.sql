-- What commission engines need: the volumes of a price, placement, and the history that a month is replayed from.

-- How much a paid price counts, in hundredths. A change is a new row, so that what was sold before keeps its volumes.
create table price_volume (
  id                   uuid primary key,
  product_id           integer not null references package,
  occasion             text not null check (occasion in ('joining', 'renewal')),
  price_cents          integer not null check (price_cents >= 0),
  business_volume      integer not null check (business_volume >= 0),
  commissionable_volume integer not null check (commissionable_volume >= 0),
  set_by               text not null,
  set_at               timestamptz not null
);
create unique index price_volume_price on price_volume (product_id, occasion, price_cents, set_at);

-- Where a commission plan should put a member. Without a row: automatic, under the sponsor.
create table placement_move (
  id         uuid primary key,
  member_id  uuid not null references member,
  parent_id  uuid references member,               -- null: the sponsor
  side       text not null check (side in ('automatic', 'left', 'right', 'hold')),
  reason     text,                                 -- null once erased
  moved_by   uuid references staff,
  moved_at   timestamptz not null
);
create unique index placement_move_member on placement_move (member_id, moved_at);
create index placement_move_parent on placement_move (parent_id) where parent_id is not null;

-- Every opening and closing of a dispute. The payment keeps only the newest.
create table dispute_change (
  payment_reference text not null references payment (reference),
  changed_at        timestamptz not null,
  is_open           boolean not null,
  primary key (payment_reference, changed_at)
);
create index dispute_change_at on dispute_change (changed_at);
insert into dispute_change select reference, disputed_at, true from payment where disputed_at is not null;
insert into dispute_change select reference, greatest(dispute_won_at, disputed_at + interval '1 millisecond'), false
  from payment where dispute_won_at is not null;

-- When a month's files were first made, so that they are made the same way again, with their hash and signature.
create table commission_month (
  month        text primary key check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  made_at      timestamptz not null,
  sha256       text not null,
  key_id       text not null,
  signature    text not null
);

-- The month in which the money was collected is the month that a payment counts for.
create index payment_captured on payment (captured_at) where captured_at is not null;
