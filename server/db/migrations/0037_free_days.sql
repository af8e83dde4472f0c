-- The days at the end of a period that are free because its renewal day was moved.
alter table period add column free_days integer not null default 0;
