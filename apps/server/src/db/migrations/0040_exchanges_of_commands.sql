-- why: the exchange of a command is evidence and outlives those of readings, which leave by whole months
create table command_trace (
  id uuid primary key,
  at timestamptz not null,
  dcu_id bigint,
  meter_id bigint,
  session_id bigint,
  frames bytea not null,
  bytes integer not null,
  duration_ms integer not null
);
-- Ciphered bytes do not shrink: trying would double the cost of writing a trace.
alter table command_trace alter column frames set storage external;
create index command_trace_at on command_trace (at);
