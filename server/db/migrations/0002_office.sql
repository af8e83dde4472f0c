-- Who is in the office. The cookie holds a random word; here is only its hash.
create table office_session (
  key_hash    text primary key,
  member_id   uuid not null references member,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index office_session_member on office_session (member_id);
create index office_session_expired on office_session (expires_at);
