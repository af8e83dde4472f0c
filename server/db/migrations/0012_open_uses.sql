-- What an open attempt to pay has counted against a limit. It is given back unless a bank declines the card.
create table open_use (
  id           uuid not null,
  reference    text not null,
  name         text not null,
  key          text not null,
  window_start timestamptz not null,
  expires_at   timestamptz not null,
  primary key (id, name, key)
);
create index open_use_reference on open_use (reference);
