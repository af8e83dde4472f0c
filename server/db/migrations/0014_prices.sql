-- Prices are data: what a package costs again every month, and what each member agreed to pay again.

alter table package add column renewal_cents integer not null default 0 check (renewal_cents >= 0);
-- Until now, every membership renewed at $99.00.
update package set renewal_cents = case
  when is_recurring then price_cents
  when is_special or billing_interval = 'once' then 0
  else 9900 end;
update package set billing_interval = case when renewal_cents = 0 then 'once' else 'month' end;
alter table package alter column renewal_cents drop default;
alter table package add constraint package_renewal check ((renewal_cents = 0) = (billing_interval = 'once'));

-- Older consents name $99.00 only. A recurring package renews only if the member's consent names the sum.
alter table order_line add column renewal_cents integer not null default 0;
update order_line set renewal_cents = 9900 where list = 'product_ids';
update order_line set renewal_cents = price_cents
  from (
    select orders.id, 9900 + sum(order_line.price_cents) filter (where list = 'autoship_product_ids') as sum_cents, member_id
    from orders join order_line on order_line.order_id = orders.id group by orders.id) priced
    join acceptance on acceptance.member_id = priced.member_id and agreement = 'agreement_2'
    join legal_text on legal_text.sha256 = acceptance.sha256
  where order_line.order_id = priced.id and list = 'autoship_product_ids'
    and content like '%$' || to_char(sum_cents / 100.0, 'FM999999990.00') || ' every month%';
alter table order_line alter column renewal_cents drop default;

-- Attempts that are still open become order lines later.
update payment set details = jsonb_set(details, '{lines}', (
    select jsonb_agg(line || jsonb_build_object('renewal_cents', case line ->> 'list'
      when 'product_ids' then 9900
      when 'autoship_product_ids' then (line ->> 'price_cents')::integer
      else 0 end))
    from jsonb_array_elements(details -> 'lines') line))
  where details is not null;
