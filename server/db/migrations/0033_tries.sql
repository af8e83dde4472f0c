-- A charge that the member asked for, with a new card or to come back, uses up none of the scheduled tries.
alter table payment add column by_member boolean not null default false;
