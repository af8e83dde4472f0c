-- Packages that renew every year, price changes that are announced, and emails ahead of time.

alter table package drop constraint package_billing_interval_check;
alter table package add constraint package_billing_interval_check check (billing_interval in ('month', 'year', 'once'));

alter table order_line add column billing_interval text not null default 'month';
update order_line set billing_interval = 'once' where renewal_cents = 0;
alter table order_line alter column billing_interval drop default;
-- Attempts that are still open become order lines later.
update payment set details = jsonb_set(details, '{lines}', (
    select jsonb_agg(line || jsonb_build_object('billing_interval',
      case when cast(line ->> 'renewal_cents' as integer) > 0 then 'month' else 'once' end))
    from jsonb_array_elements(details -> 'lines') line))
  where details is not null;

alter table membership add column billing_interval text not null default 'month' check (billing_interval in ('month', 'year'));
alter table membership alter column billing_interval drop default;
-- When to look next whether the member must be told something ahead of time.
alter table membership add column notice_at timestamptz;
update membership set notice_at = cast(current_setting('foyer.now') as timestamptz) where state <> 'ended';
create index membership_notice on membership (notice_at) where notice_at is not null;

-- A new price for members who have the package already. The package itself has it at once.
create table price_change (
  id           uuid primary key,
  product_id   integer not null,
  old_cents    integer not null,
  new_cents    integer not null,
  notice_days  integer not null,
  reason       text not null,
  made_by      text not null,
  made_at      timestamptz not null,
  done_at      timestamptz,                      -- every member has been told
  told         integer not null,                 -- members so far
  reached      uuid                              -- the last member that was looked at
);

alter table difference add column resolved_by text;
