-- why: an upgrade may have several devices of one DCU at work at the same time, because each of them is away for a while when it restarts
alter table upgrade_job add column per_dcu integer not null default 1 check (per_dcu between 1 and 20);
