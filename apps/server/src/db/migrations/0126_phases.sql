-- why: head-ends of two versions live on one database during an upgrade, so that the schema changes in phases that each of them works with
-- phase: expand
alter table schema_migration
  add column phase text check (phase in ('expand', 'backfill', 'contract')),
  -- Of a contraction: the number of the migration that a head-end must know to work without what was removed.
  add column needs int;
-- Number of the newest migration that the head-end knows. One of an earlier version does not write it.
alter table node add column schema int not null default 125;
