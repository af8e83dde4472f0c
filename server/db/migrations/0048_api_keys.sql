-- Keys of an operator's own systems. The key itself is shown once; a row has its SHA-256.
create table api_key (
  id          uuid primary key,
  name        text not null,
  key_hash    text not null unique,
  ending      text not null,                         -- its last four characters, to recognize it by
  scopes      text[] not null,
  created_at  timestamptz not null,
  created_by  uuid references staff,                 -- null: the command line
  used_on     date,                                  -- in the operator's time zone
  ends_at     timestamptz,                           -- null: it has no end date
  revoked_at  timestamptz
);
-- Two keys in use never have the same name.
create unique index api_key_name on api_key (lower(name)) where revoked_at is null;
