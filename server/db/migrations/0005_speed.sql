-- How many cards are at the bank right now is asked for each payment: found without looking at those that have left it.
create index payment_asking on payment (leased_until) where state = 'authorizing';
