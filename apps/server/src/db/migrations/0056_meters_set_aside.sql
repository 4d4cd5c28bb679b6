-- why: a meter whose answers have no end costs its neighbours the line: it is left alone for a while, longer each time, and comes back.
alter table meter
  -- Collection does not ask it before.
  add column set_aside_until timestamptz,
  -- How often in a row; 0: it is not set aside.
  add column set_aside_times int not null default 0,
  -- The limit that its answer reached.
  add column set_aside_why text;
