-- Our name for the attempt at the gateway, and what the bank said of address and CVC.
alter table payment add column reference text;
update payment set reference = enrollment_id || '.' || attempt;
alter table payment alter column reference set not null;
alter table payment add constraint payment_reference unique (reference);
alter table payment add column address_check text;
alter table payment add column cvc_check text;
create index payment_transaction on payment (transaction_id) where transaction_id is not null;

-- Who used it: a repeat of the same request is not a second use.
alter table spent add column used_by text;

-- What the gateway's books and ours do not agree on. A row stays; it is cleared when a later comparison finds it gone.
create table difference (
  reference       text not null,
  kind            text not null,
  transaction_id  text,
  ours            text not null,
  theirs          text not null,
  found_at        timestamptz not null,
  cleared_at      timestamptz,
  primary key (reference, kind)
);

-- What is swept is found without looking at everything.
create index phone_check_sent on phone_check (sent_at);
create index job_done on job (done_at) where done_at is not null;
