-- why: up to where a meter was read changes with every collection, what it told about itself hardly ever. The moments now stand in the
-- meter's own row, which is written then anyway; each had a row of its own. And what a meter tells all meters of its kind tell: each text is
-- kept once.
alter table meter add column marks jsonb not null default '{}';
create table meter_memory (
  id bigint generated always as identity primary key,
  -- By key: capture lists, scalers, depths of buffers. Text that is read whole; of one memory there is one row.
  told json not null,
  digest bytea not null unique,
  -- When a meter last came to it; nobody's are let go later.
  learnt_at timestamptz not null default now()
);
alter table meter add column memory_id bigint references meter_memory (id);

-- Both at once and in the order of meters: their rows stand in many indexes, and of a million each would be touched twice and anywhere.
create temporary table meter_told on commit drop as
select device_id,
  coalesce(jsonb_object_agg(mark, moment) filter (where mark is not null and jsonb_typeof(moment) = 'number'), '{}') as marks,
  (jsonb_object_agg(key, told) filter (where told is not null))::text as told
from (
  select device_id, key,
    case when key like 'through:%' then key when key like 'profile:%' then 'checked:' || substr(key, 9) end as mark,
    case when key like 'through:%' then value::jsonb when key like 'profile:%' then value::jsonb -> 'checkedAt' end as moment,
    case when key like 'through:%' then null when key like 'profile:%' then value::jsonb - 'checkedAt' else value::jsonb end as told
  from device_memory where device_kind = 'meter'
) as entries
group by device_id order by device_id;
insert into meter_memory (told, digest) select told::json, sha256(convert_to(told, 'UTF8')) from (select distinct told from meter_told where told is not null) as texts;
update meter m set marks = t.marks, memory_id = k.id
from meter_told t left join meter_memory k on k.digest = sha256(convert_to(t.told, 'UTF8')) where t.device_id = m.id;
-- Who lets go of a memory asks whether somebody has it.
create index meter_memory_id on meter (memory_id);
drop table device_memory;
