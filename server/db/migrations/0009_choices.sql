-- An enrollment that has only chosen a sponsor is kept as long as its cookie; with an attempt to pay, for ever.
alter table enrollment add column expires_at timestamptz;
create index enrollment_expired on enrollment (expires_at) where expires_at is not null;
