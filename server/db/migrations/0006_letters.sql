-- A letter is written once and hardly ever read: squeezing it cost more than all other rows of a new member together.
alter table message
  alter column body set storage external,
  alter column html set storage external,
  alter column attachment set storage external;
