-- why: who stops a run means all that is not on the wire yet, also what a worker has taken already and what would be tried again; so a run remembers that it was stopped
alter table task add column is_stopped boolean not null default false;
-- Read every second: there are few of them, if any.
create index task_stopped on task (id) where is_stopped and finished_at is null;
