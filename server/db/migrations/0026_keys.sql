-- Keys have versions: a new one is published first, used after a while, and retired by the next.
alter table server_key add column version integer not null default 1;
alter table server_key add column used_from timestamptz;
alter table server_key add column retired_at timestamptz;
alter table server_key add column revoked_at timestamptz;
update server_key set used_from = created_at;
alter table server_key alter column used_from set not null;
alter table server_key drop constraint server_key_pkey;
alter table server_key add primary key (name, version);

-- What browsers refused to load or run on our pages: counts by day, nothing about a person.
create table csp_report (
  day         date not null,
  directive   text not null,
  blocked     text not null,
  page        text not null,
  count       bigint not null,
  expires_at  timestamptz not null,
  primary key (day, directive, blocked, page)
);
create index csp_report_expired on csp_report (expires_at);
