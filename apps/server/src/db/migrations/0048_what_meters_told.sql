-- why: up to where a meter was read changes with every collection, what it told about itself hardly ever. The moments now stand in the
-- meter's own row, which is written then anyway; each had a row of its own. And what a meter tells all meters of its kind tell: each text is
-- kept once.
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

create table meter_memory (
  id bigint generated always as identity primary key,
  -- By key: capture lists, scalers, depths of buffers. Text that is read whole; of one memory there is one row.
  told json not null,
  digest bytea not null unique,
  -- When a meter last came to it; nobody's are let go later.
  learnt_at timestamptz not null default now()
);
alter table meter add column memory_id bigint references meter_memory (id);

create temporary table meter_told on commit drop as
select device_id, jsonb_object_agg(key, case when key like 'profile:%' then value::jsonb - 'checkedAt' else value::jsonb end)::text as told
from device_memory where device_kind = 'meter' and key not like 'through:%' group by device_id;
insert into meter_memory (told, digest) select told::json, sha256(convert_to(told, 'UTF8')) from (select distinct told from meter_told) as texts;
update meter m set memory_id = k.id from meter_told t join meter_memory k on k.digest = sha256(convert_to(t.told, 'UTF8')) where t.device_id = m.id;
-- Who lets go of a memory asks whether somebody has it.
create index meter_memory_id on meter (memory_id);
drop table device_memory;
