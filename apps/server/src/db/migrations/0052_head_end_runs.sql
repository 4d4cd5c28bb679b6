-- why: while the head-end is down nothing is known of a DCU, which is neither online nor offline then: its running times are kept, and
-- DCUs that were connected when it stopped are unknown until they connect again or stay away for longer than their heartbeats allow.
create table head_end_run (
  id bigint generated always as identity primary key,
  started_at timestamptz not null default now(),
  -- Refreshed every few seconds while the process runs: after a crash, the end of the run.
  alive_at timestamptz not null default now(),
  check (alive_at >= started_at)
);
create index head_end_run_alive on head_end_run (alive_at);
-- Earlier runs were not recorded: the connections that exist stand for one uninterrupted run.
insert into head_end_run (started_at, alive_at)
  select min(opened_at), max(greatest(opened_at, closed_at)) from dcu_session where identified_at is not null having count(*) > 0;

alter table dcu drop constraint dcu_online_status_check;
alter table dcu add constraint dcu_online_status_check check (online_status in ('online', 'offline', 'unknown', 'never'));
