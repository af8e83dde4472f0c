-- Usernames and links had two indexes each: a unique one, and one in byte order for the search by prefix. In byte order, the
-- unique one does both.
drop index member_username;
alter table member alter column username type text collate "C";
drop index sponsor_site_start;
alter table sponsor alter column site type text collate "C";
