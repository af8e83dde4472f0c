-- Where visitors stop. Who came how far today, so that nobody counts twice; deleted when the day is over.
create table funnel_hit (
  day      date not null,
  step     text not null,
  visitor  text not null,                         -- keyed hash of the day, address and browser: says nothing about a person
  primary key (day, step, visitor)
);

-- What stays: numbers.
create table funnel_day (
  day     date not null,
  step    text not null,
  site    text not null,
  device  text not null,
  source  text not null,
  count   bigint not null,
  primary key (day, step, site, device, source)
);

-- How often the server refused what was entered into a field.
create table funnel_field (
  day    date not null,
  field  text not null,
  count  bigint not null,
  primary key (day, field)
);
