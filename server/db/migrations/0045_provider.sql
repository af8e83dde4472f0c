-- What is kept of an enrollment that an operator's API host got: that it was sent, and what is known of it. Nothing about a person.
create table provider_attempt (
  enrollment_id uuid not null,
  attempt       integer not null,
  reference     text not null unique,                -- short: support looks it up in the log and with the host
  state         text not null check (state in ('sent', 'approved', 'declined', 'refused', 'unknown', 'passed')),
  sent_at       timestamptz not null,
  expires_at    timestamptz not null,
  primary key (enrollment_id, attempt)
);
-- An enrollment has at most one that may have charged the card, unless the visitor was warned.
create unique index provider_attempt_open on provider_attempt (enrollment_id) where state in ('sent', 'approved', 'unknown');
create index provider_attempt_sent on provider_attempt (sent_at) where state = 'sent';
