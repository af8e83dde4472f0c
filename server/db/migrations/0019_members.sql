-- What staff do for members: move a sponsor, waive a period, erase a person.

-- A member under another sponsor. The sealed record of how they joined stays as it is.
create table sponsor_move (
  id         uuid primary key,
  member_id  uuid not null references member,
  from_id    uuid not null references sponsor,
  to_id      uuid not null references sponsor,
  reason     text,                               -- null once erased
  moved_by   uuid references staff,
  moved_at   timestamptz not null
);
create index sponsor_move_member on sponsor_move (member_id, moved_at);
create index sponsor_move_from on sponsor_move (from_id);
create index sponsor_move_to on sponsor_move (to_id);

-- The sponsor on the day the member joined, once they have been moved: signed records keep it.
alter table member add column joined_sponsor_id uuid references sponsor;
create index member_joined_sponsor on member (joined_sponsor_id) where joined_sponsor_id is not null;

-- The next period is not charged.
alter table membership add column waived_period integer;

-- Names and contact are gone; payments and accepted texts stay.
alter table member add column erased_at timestamptz;

-- Old events are deleted.
create index member_event_at on member_event (at);
