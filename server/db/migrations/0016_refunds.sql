-- Money that goes back. A refund is written before the gateway is called.
create table refund (
  id                 uuid primary key,
  payment_reference  text not null references payment (reference),
  amount_cents       integer not null check (amount_cents > 0),
  reason             text not null,
  is_void            boolean not null,            -- requested before the charge had settled
  state              text not null check (state in ('requested', 'done', 'refused')),
  refund_reference   text not null unique,        -- our id of the refund at the gateway
  who                text not null,
  created_at         timestamptz not null,
  ended_at           timestamptz
);
create index refund_payment on refund (payment_reference);

alter table payment add column refunded_cents integer not null default 0;
alter table payment add constraint payment_refunded_check check (refunded_cents between 0 and amount_cents);
alter table payment drop constraint payment_state_check;
alter table payment add constraint payment_state_check check (state in ('reserved', 'authorizing', 'authorized', 'enrolled',
  'captured', 'declined', 'unknown', 'review', 'abandoned', 'voided', 'capture_failed', 'refunded', 'disputed'));

-- A disputed period is not charged again.
drop index payment_one_per_period;
create unique index payment_one_per_period on payment (enrollment_id, period)
  where period > 0 and state in ('authorizing', 'unknown', 'review', 'captured', 'disputed');

-- A person has looked at the difference. It stays resolved until the gateway says something else.
alter table difference add column resolved_at timestamptz;
alter table difference add column reason text;

-- For /metrics.
create index membership_past_due on membership (member_id) where state = 'past_due';
