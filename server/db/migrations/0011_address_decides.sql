-- The address decides the sponsor: nothing is chosen any more. Enrollments that only chose one are in a cookie as well.
delete from sponsor_touch where enrollment_id in (
  select id from enrollment where expires_at is not null
    and not exists (select from payment where payment.enrollment_id = enrollment.id));
delete from enrollment where expires_at is not null
  and not exists (select from payment where payment.enrollment_id = enrollment.id);
alter table enrollment drop column expires_at;
