-- A member may switch off the email that says that somebody joined through their link.
alter table member add column join_emails boolean not null default true;

-- The names on the day a member joined, once one of them has been changed: signed records keep them.
alter table member add column joined_username text;
alter table member add column joined_first_name text;
alter table member add column joined_last_name text;
alter table member add column joined_sponsor_name text;
alter table member add column username_changed_at timestamptz;

-- A member's picture. The name is in its URL and stands for these bytes and no others.
create table picture (
  name       text primary key,
  member_id  uuid not null unique references member,
  content    bytea not null
);
alter table picture alter column content set storage external;

-- The picture on the sponsor's page.
alter table sponsor add column picture_url text;
