-- Emails and sign-ins are deleted after two years. What happened to a membership stays, and the search for old rows skips it.
create index member_event_expiring on member_event (at) where kind <> 'membership';
drop index member_event_at;
