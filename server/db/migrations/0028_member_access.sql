-- How a member's access ends: sessions that can be listed and ended one by one.

-- Raised whenever all sessions of a member end. A grant carries the number that it was made with.
alter table member add column access_version integer not null default 0;

alter table office_session add column id uuid not null default gen_random_uuid();
alter table office_session add column device text not null default 'Unknown browser';
alter table office_session add column idle_until timestamptz;
update office_session set idle_until = expires_at;
alter table office_session alter column idle_until set not null;
create unique index office_session_id on office_session (id);
