-- What happened to a membership stays in its member's timeline, even if it is undone later.
alter table member_event
  drop constraint member_event_kind_check,
  add constraint member_event_kind_check check (kind in ('email', 'sign_in', 'membership')) not valid;
