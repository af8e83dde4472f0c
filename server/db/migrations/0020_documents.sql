-- The versions of the legal documents that were ever live. A row is never changed; legal_document has the newest.
create table legal_version (
  document_id   integer not null references legal_document,
  version       integer not null,
  title         text not null,
  sha256        text not null references legal_text,
  published_at  timestamptz,                     -- null: before versions were kept
  published_by  text,                            -- null: loaded from a file
  primary key (document_id, version)
);
insert into legal_version (document_id, version, title, sha256) select id, version, title, sha256 from legal_document;

-- What becomes the next version of a document at a time to come. It gets its number then.
create table scheduled_document (
  document_id   integer primary key references legal_document,
  title         text not null,
  sha256        text not null references legal_text,
  publish_at    timestamptz not null,
  scheduled_by  text not null
);

-- Who accepted a version.
create index acceptance_version on acceptance (sha256, version, accepted_at, member_id) where agreement = 'agreement_1';
