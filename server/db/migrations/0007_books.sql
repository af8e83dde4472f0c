-- The books of the last days are compared every hour, without reading all payments there ever were. Payments come in the order of
-- their time, so an index of a few pages is enough, and writing costs next to nothing more.
create index payment_created on payment using brin (created_at);
