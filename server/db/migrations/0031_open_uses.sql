-- What an open attempt to pay has counted, as one row for each request instead of one for each limit: `uses` is a list of name,
-- key and window_start. The previous version cannot run on this schema: stop every old process first.
alter table open_use add column uses jsonb;
update open_use set uses = request.uses, expires_at = request.expires_at from (
  select reference, id, max(expires_at) as expires_at,
    jsonb_agg(jsonb_build_object('name', name, 'key', key, 'window_start', window_start)) as uses
  from open_use group by reference, id) request
where open_use.reference = request.reference and open_use.id = request.id;
delete from open_use where (id, name, key) not in (
  select distinct on (reference, id) id, name, key from open_use order by reference, id, name, key);
drop index open_use_reference;
alter table open_use
  drop constraint open_use_pkey,
  drop column name,
  drop column key,
  drop column window_start,
  alter column uses set not null,
  add primary key (reference, id);
