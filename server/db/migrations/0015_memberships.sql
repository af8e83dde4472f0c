-- What a member pays for: when it renews, at which price, and with which card.
create table membership (
  member_id               uuid primary key references member,
  state                   text not null check (state in ('active', 'past_due', 'ended')),
  anchor_on               date not null,          -- a day in the operator's time zone; every period is counted from it
  anchor_period           integer not null,       -- the period that begins on the anchor
  period                  integer not null,       -- the newest period that has begun
  declines                integer not null,       -- of that period
  due_at                  timestamptz,            -- when the next charge, retry or end is due; null: nothing is
  on_hold_since           timestamptz,
  hold_reason             text,
  lines                   jsonb not null,         -- what renews, at the price the member agreed to
  vault_reference         text not null,          -- the card on file; empty if there is none
  card_brand              text,
  card_last_four          text,
  card_expires            text,                   -- 2030-07
  network_transaction_id  text,                   -- of the charge that started the series on this card
  series_cents            integer,                -- and its amount
  never_retry_since       timestamptz             -- the bank forbids another attempt with this card
);
create index membership_due on membership (due_at) where due_at is not null;

-- One month of it. A member has each period once.
create table period (
  member_id     uuid not null references membership,
  n             integer not null,
  starts_on     date not null,
  ends_on       date not null,                    -- the first day of the next one
  amount_cents  integer not null,
  lines         jsonb not null,
  state         text not null check (state in ('due', 'paid', 'waived', 'unpaid')),
  primary key (member_id, n)
);

-- Renewals are payments in the same journal.
alter table payment add column period integer not null default 0;
alter table payment alter column period drop default;
alter table payment add column network_transaction_id text;
alter table payment add column issuer_code text;
alter table payment add column card_brand text;
alter table payment add column card_last_four text;
alter table payment add column card_expires text;
create unique index payment_one_per_period on payment (enrollment_id, period)
  where period > 0 and state in ('authorizing', 'unknown', 'review', 'captured');

-- Members who joined earlier: what has passed is waived, and the next period is charged.
insert into membership (member_id, state, anchor_on, anchor_period, period, declines, due_at, lines, vault_reference)
  select member.id,
    case when ends_at <= cast(current_setting('foyer.now') as timestamptz) then 'ended' else 'active' end,
    cast(joined_at at time zone 'UTC' as date), 0, passed.months, 0,
    case when ends_at <= cast(current_setting('foyer.now') as timestamptz) or not exists (
        select from orders join order_line on order_line.order_id = orders.id
        where orders.member_id = member.id and renewal_cents > 0) then null
      else coalesce(ends_at, cast(cast(joined_at at time zone 'UTC' as date) + make_interval(months => passed.months + 1) as timestamp) at time zone 'UTC') end,
    coalesce((
      select jsonb_agg(jsonb_build_object('product_id', product_id, 'name', name, 'renewal_cents', renewal_cents) order by list <> 'product_ids', product_id)
      from orders join order_line on order_line.order_id = orders.id
      where orders.member_id = member.id and renewal_cents > 0), '[]'),
    coalesce(vault_reference, '')
  from member, lateral (
    select cast(extract(year from age) * 12 + extract(month from age) as integer) as months
    from (select age(cast(coalesce(least(ends_at, cast(current_setting('foyer.now') as timestamptz)), cast(current_setting('foyer.now') as timestamptz)) at time zone 'UTC' as date), cast(joined_at at time zone 'UTC' as date)) as age) aged
  ) passed;
insert into period (member_id, n, starts_on, ends_on, amount_cents, lines, state)
  select member_id, n, cast(anchor_on + make_interval(months => n) as date), cast(anchor_on + make_interval(months => n + 1) as date),
    case n when 0 then (select grand_total from orders where orders.member_id = membership.member_id limit 1)
      else (select coalesce(sum(cast(line ->> 'renewal_cents' as integer)), 0) from jsonb_array_elements(lines) line) end,
    lines, case n when 0 then 'paid' else 'waived' end
  from membership, generate_series(0, period) n;
alter table member drop column vault_reference;
