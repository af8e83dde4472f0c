-- What the API answered to a change, for a repeat with the same Idempotency-Key. Written with the change, or not at all.
create table api_answer (
  key_id           uuid not null,
  idempotency_key  text not null,
  request_hash     text not null,   -- keyed: a body may hold an address
  answer           jsonb not null,  -- ids, states and amounts only
  expires_at       timestamptz not null,
  primary key (key_id, idempotency_key)
);
create index api_answer_expired on api_answer (expires_at);

-- Other systems read payments in the order in which they began. It also finds the recent ones.
drop index payment_created;
create index payment_listed on payment (created_at, reference);

-- A sponsor's members in the order of their list, even if thousands were brought along with the same day.
drop index member_sponsor;
create index member_sponsor on member (sponsor_id, joined_at, id);
