-- Renewals with one try left, which somebody should look at.
create index membership_failing on membership (due_at) where state = 'past_due' and declines >= 3 and due_at is not null;
