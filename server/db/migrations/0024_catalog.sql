-- A package that is no longer offered. Members who have it keep it and go on paying for it.
alter table package add column withdrawn_at timestamptz;

-- Pictures of packages and of sponsors who are not members. The name is in the URL and stands for these bytes and no others.
create table catalog_picture (
  name     text primary key,
  content  bytea not null
);
alter table catalog_picture alter column content set storage external;

create index price_change_package on price_change (product_id, made_at);

-- The list of sponsors: newest first, and by the beginning of a site or a name.
create index sponsor_listed on sponsor (created_at, id) where renamed_to is null;
create index sponsor_own on sponsor (created_at, id) where renamed_to is null and member_id is null;
create index sponsor_site_start on sponsor (site collate "C");
create index sponsor_name_start on sponsor (lower(name) collate "C");
create index sponsor_renamed on sponsor (renamed_to) where renamed_to is not null;
