-- A member who takes back an earlier username keeps one row for it. These are the times when they took it before.
alter table sponsor add column earlier_from timestamptz[] not null default '{}';
