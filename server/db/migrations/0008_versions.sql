-- Scripts of this version and of earlier ones: a page that was opened before an update, or came from another process during one,
-- still finds the rest of itself.
create table built_file (
  name     text primary key,              -- has a hash in it, so it stands for these bytes and no others
  content  bytea not null,                -- compressed with brotli
  seal     text not null,                 -- keyed: nobody who can only write here writes a script
  kept_at  timestamptz not null           -- when a process last had it on its disk
);
alter table built_file alter column content set storage external;

-- A visitor's keyed hash is needed for its day only, to count nobody twice; afterwards the number is enough.
create table page_day (
  site    text not null,
  day     date not null,
  visits  integer not null,
  primary key (site, day)
);
create index page_hit_day on page_hit (day);
