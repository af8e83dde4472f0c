-- A member we couldn't charge on time is told once a bank has answered, and not each time the period begins on a later day.
alter table period add column missed_from date;
