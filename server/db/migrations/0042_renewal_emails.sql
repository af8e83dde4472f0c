-- Members who asked for it get an email three days before each charge.
alter table member add column renewal_emails boolean not null default false;
create index member_renewal_emails on member (id) where renewal_emails;
-- The newest period that such an email was written about: one for each.
alter table membership add column notified_period integer;
