-- Which messages the fields of the form showed, once for each visitor and field a day. The sentence is one of ours, or ''.
create table funnel_message (
  day      date not null,
  field    text not null,
  message  text not null,
  count    bigint not null,
  primary key (day, field, message)
);

-- Visits of the last 30 full days, for the list of sponsors. The janitor adds what it rolls up, and takes away what gets too old.
alter table page_day add column is_recent boolean not null default true;
create index page_day_recent on page_day (day) where is_recent;
alter table sponsor add column recent_visits integer not null default 0;
update sponsor set recent_visits = visited.visits from (
  select coalesce(renamed_to, sponsor.site) as site, sum(visits) as visits
  from page_day join sponsor on sponsor.site = page_day.site group by 1) visited
where sponsor.site = visited.site and renamed_to is null;
create index sponsor_visited on sponsor (recent_visits, created_at, id) where renamed_to is null and recent_visits > 0;
create index sponsor_own_visited on sponsor (recent_visits, created_at, id)
  where renamed_to is null and member_id is null and recent_visits > 0;
