-- why: head-ends of one database divide the work by role, and each must know which of the others takes devices
alter table node
  -- Roles of this run. A head-end of an earlier version does not write them, and has all.
  add column roles text[] not null default '{web,field,analysis}';
