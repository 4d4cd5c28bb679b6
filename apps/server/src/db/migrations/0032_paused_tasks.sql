-- why: a run of work can be paused and goes on later where it was
alter table task drop constraint task_state_check;
alter table task add constraint task_state_check
  check (state in ('waiting_approval', 'waiting', 'running', 'paused', 'finished', 'partly_failed', 'failed', 'cancelled', 'expired'));
-- Read every second: there are few of them, if any.
create index task_paused on task (id) where state = 'paused';
