-- Whether staff closed a dispute because the bank returned the money: only then does the member's receipt say so.
alter table difference add column is_lost boolean not null default false;
