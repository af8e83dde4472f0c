-- The operator's own brand. Without a row, and for every column that is null, the built-in one counts (contract/brand.ts).
create table brand (
  id            integer primary key check (id = 1),
  name          text,
  accent        text,                             -- '#0b5d4a'; the other colors are computed from it
  radius        text,
  support       text,                             -- an email address, or a URL
  email_footer  text,
  welcome       text,
  logo          text,                             -- the name of a row of brand_logo
  updated_at    timestamptz not null
);

-- Checked before they are stored. Earlier ones stay, because open pages still show them.
create table brand_logo (
  name        text primary key,
  content     bytea not null,
  created_at  timestamptz not null
);
