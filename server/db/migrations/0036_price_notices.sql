-- Members are told of a higher price 7 to 30 days before they pay it. Those who were told earlier are told again in time.
update price_change set notice_days = 30 where notice_days > 30 and done_at is null;

update membership set
    notice_at = cast(current_setting('foyer.now') as timestamptz),
    lines = (
      select jsonb_agg(
        case when line ? 'announced' then jsonb_set(line, '{announced,is_untold}', 'true') else line end order by position)
      from jsonb_array_elements(lines) with ordinality as each (line, position))
  where state <> 'ended' and exists (
    select from jsonb_array_elements(lines) line
    where cast(line -> 'announced' ->> 'from_on' as date)
        > cast(cast(current_setting('foyer.now') as timestamptz) at time zone 'UTC' as date) + 30
      or (line ? 'announced' and exists (
        select from job where kind = 'price_changed' and done_at is null
          and payload ->> 'member_id' = cast(membership.member_id as text))));
