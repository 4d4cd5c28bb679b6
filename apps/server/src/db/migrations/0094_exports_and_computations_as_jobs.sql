-- why: an export and a computation are repeated by any server, so what was ordered stands in the database and not in the memory of a process.

alter table export_job
  add column instructions jsonb not null default '{}',
  -- Code and parameters of the error that ended it, for the caller who still waits.
  add column failure jsonb,
  -- The call that ordered it was answered before it ended: the user is notified.
  add column is_late boolean not null default false;
create index export_job_running on export_job (user_id) where state = 'running';

-- The restart that brings this migration has cut them off, and there is no job that would continue them.
update export_job set state = 'failed', finished_at = now() where state = 'running';
update task set state = 'failed', finished_at = now() where kind in ('bill', 'phase') and state = 'running';
