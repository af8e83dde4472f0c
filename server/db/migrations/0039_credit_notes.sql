-- Every refund that was made has a credit note with a number of its own, without gaps.
alter table refund add column credit_note integer;
update refund set credit_note = numbered.number
  from (select id, row_number() over (order by ended_at, created_at, id) as number from refund where state = 'done') numbered
  where numbered.id = refund.id;
alter table refund add constraint refund_credit_note_check check ((state = 'done') = (credit_note is not null));
create unique index refund_credit_note on refund (credit_note);

-- For the figures of a day.
create index refund_ended on refund (ended_at);

-- Receipts show when a dispute was found in the gateway's records, and when it was won.
alter table payment add column disputed_at timestamptz;
alter table payment add column dispute_won_at timestamptz;
update payment set disputed_at = coalesce(
  (select found_at from difference where difference.reference = payment.reference and kind = 'dispute'), updated_at)
  where state = 'disputed';
create index payment_disputed on payment (disputed_at) where disputed_at is not null;
