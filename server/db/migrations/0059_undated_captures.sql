-- Payments that a version before 0046 collected, perhaps while this one was starting. A worker writes down when.
create index payment_undated on payment (reference) where captured_at is null and state in ('captured', 'disputed');
