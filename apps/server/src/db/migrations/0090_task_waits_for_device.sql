-- why: the queue fails orders of users soon after it finds the DCU offline. Orders of users that were to wait had to be stored as
-- orders of the system to escape that, and every page named the wrong originator.
-- True: items wait for a DCU that is offline until the task expires. False: they fail after a short wait.
alter table task add column waits_for_device boolean not null default true;
update task set waits_for_device = false where source in ('user', 'api') and finished_at is null;
update task set source = 'user' where source = 'system' and created_by is not null;
