-- why: taking an item wrote it anew in five indexes, because they knew whether it waits or is being read; now they know whether it is open
-- or how it ended, which taking does not change, and the row is written anew where it lies
alter table task_item add column phase text not null generated always as (case when state in ('waiting', 'reading') then 'open' else state end) stored;
-- Room in each page for what is taken of it.
alter table task_item set (fillfactor = 50);
drop index task_item_task, task_item_next, task_item_leased, task_item_relay;
create index task_item_task on task_item (task_id, phase, id);
create index task_item_open on task_item (dcu_id, priority, not_before, id) where phase = 'open';
create index task_item_relay on task_item (id) where phase = 'open' and kind in ('relay_disconnect', 'relay_connect', 'relay_arm');
-- What was taken together: where the items that are leased are looked for. A row goes when none of its items is being read any more.
create table task_claim (
  id bigint generated always as identity primary key,
  items bigint[] not null
);
insert into task_claim (items) select array_agg(id) from task_item where state = 'reading' having count(*) > 0;
