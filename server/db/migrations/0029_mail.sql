-- Whether a member's address is theirs, and whether it takes email at all.
alter table member add column email_confirmed_at timestamptz;
alter table member add column email_bounced_at timestamptz;
alter table member add column email_bounce text check (email_bounce in ('unknown', 'closed', 'malformed'));

-- A new phone number until the code that was sent to it is entered.
alter table member add column unconfirmed_phone text;
alter table member add column unconfirmed_phone_at timestamptz;

-- A link may also confirm the address that the member already has.
alter table email_link drop constraint email_link_purpose_check;
alter table email_link add constraint email_link_purpose_check check (purpose in ('password', 'email', 'address'));
-- How often a reset link was used with the wrong digits of the card.
alter table email_link add column tries integer not null default 0;
-- Our team has asked for the new address.
alter table email_link add column by_staff boolean not null default false;

-- Existing members: an address that staff entered counted only once its owner had opened the link, so it is confirmed. What
-- members changed themselves left no trace. All others stay unconfirmed until they open a link.
update member set email_confirmed_at = audit.at from audit
  where audit.subject_kind = 'member' and audit.act = 'change_details' and audit.subject = cast(member.id as text)
    and audit.details is not null and cast(audit.details as jsonb) #>> '{after,unconfirmed_email}' = member.email;
