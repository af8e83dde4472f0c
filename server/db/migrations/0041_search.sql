-- Members are also found by company, city, ZIP and parts of an email address: each search follows an index in byte order.
create index member_company on member (lower(business_name) collate "C") where business_name <> '';
create index member_city on member (lower(city) collate "C");
create index member_post_code on member (post_code collate "C");
create index member_email_domain on member (split_part(lower(email), '@', 2) collate "C");
create index member_email_word on member (split_part(translate(split_part(lower(email), '@', 1), '_-+', '...'), '.', 2) collate "C")
  where split_part(translate(split_part(lower(email), '@', 1), '_-+', '...'), '.', 2) collate "C" <> '';

-- The audit log is searched by action and by day, too.
create index audit_act on audit (act, position);
create index audit_at on audit (at);
