-- why: a head-end is drained before it stops or is serviced, and operators see what moved between head-ends and why
alter table node
  -- Its work is handed over to other nodes since this instant; null: it takes work.
  add column draining_at timestamptz,
  -- Nothing is left to hand over since this instant.
  add column drained_at timestamptz;

create table node_event (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  node_id bigint not null,
  node_name text not null,
  kind text not null check (kind in ('born', 'stopped', 'died', 'drain_began', 'drained', 'resumed')),
  -- Devices that it held when it happened.
  devices int not null default 0,
  -- The user who ordered it; null: the head-end itself.
  user_id bigint
);
create index node_event_at on node_event (at);
