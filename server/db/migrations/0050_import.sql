-- Members brought along from another system. A file is read into rows, checked as a whole, and written in batches. The rows of a
-- file live for a day, because they have names and addresses.
create table member_import (
  id           uuid primary key,
  connection   text not null,                    -- which system the file's external ids belong to
  state        text not null check (state in ('reading', 'checking', 'checked', 'writing', 'done', 'stopped')),
  step         integer not null,                 -- of checking
  reached      integer not null,                 -- how far this step is
  pieces       integer not null,                 -- of the file that have arrived
  lines        integer not null,
  last_line    integer not null,                 -- its number in the file
  problems     integer not null,
  existing     integer not null,                 -- lines about members who are here already
  added        integer not null,
  is_inviting  boolean not null,                 -- email everyone a link to set a password
  started_by   text,                             -- 'command line' or the id of a colleague
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);

create table import_line (
  import_id     uuid not null references member_import on delete cascade,
  line          integer not null,
  username      text collate "C" not null,
  email         text collate "C" not null,       -- as it is claimed
  external_id   text collate "C",
  sponsor_site  text collate "C" not null,
  answers       jsonb not null,                  -- the rest, checked and tidied
  state         text not null check (state in ('new', 'existing', 'failed')),
  parent_line   integer,                         -- the sponsor's, if the file has it
  depth         integer,                         -- how many sponsors of the file are above it
  primary key (import_id, line)
);
create index import_line_username on import_line (import_id, username, line);
create index import_line_email on import_line (import_id, email, line);
create index import_line_external_id on import_line (import_id, external_id, line) where external_id is not null;
create index import_line_waiting on import_line (import_id, parent_line) where depth is null;
create index import_line_next on import_line (import_id, depth, line) where state = 'new';

-- What is wrong with a line, without what is in it.
create table import_problem (
  import_id    uuid not null references member_import on delete cascade,
  line         integer not null,
  column_name  text not null,
  problem      text not null,
  primary key (import_id, line, column_name)
);

create table imported_member (
  member_id    uuid primary key references member,
  import_id    uuid not null,
  imported_at  timestamptz not null,
  invited_at   timestamptz                       -- when the link to set a password was asked for
);
create index imported_member_uninvited on imported_member (member_id) where invited_at is null;

-- The name of a member in another system. It stays after an erasure, so that no old file brings the person back.
create table external_id (
  connection  text not null,
  value       text collate "C" not null,
  member_id   uuid not null references member,
  primary key (connection, value),
  unique (member_id, connection)
);

-- The link with which an imported member sets the first password.
alter table email_link drop constraint email_link_purpose_check;
alter table email_link add constraint email_link_purpose_check check (purpose in ('password', 'email', 'address', 'invitation'));
