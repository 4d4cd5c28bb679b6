-- why: up to where a meter was read changes with every collection, what it told about itself hardly ever. The moments now stand in the
-- meter's own row, which is written then anyway; each had a row of its own.
alter table meter add column marks jsonb not null default '{}';
update meter m set marks = k.marks
from (
  select device_id, jsonb_object_agg(key, moment) as marks
  from (
    select device_id, key, value::jsonb as moment from device_memory where device_kind = 'meter' and key like 'through:%'
    union all
    select device_id, 'checked:' || substr(key, 9), value::jsonb -> 'checkedAt' from device_memory where device_kind = 'meter' and key like 'profile:%'
  ) as moments
  where jsonb_typeof(moment) = 'number'
  group by device_id
) as k
where k.device_id = m.id;
delete from device_memory where key like 'through:%';
update device_memory set value = (value::jsonb - 'checkedAt')::json where key like 'profile:%';
