-- why: one image for many meters of a DCU goes over its uplink once, and a device that can wakes its new version at the moment it was told

-- One image for all meters of one ring that hang on one DCU: loaded into the DCU, and sent by it to all of them at once.
create table upgrade_broadcast (
  id bigint generated always as identity primary key,
  job_id bigint not null references upgrade_job (id),
  ring int not null,
  dcu_id bigint not null,
  state text not null default 'gathering' check (state in ('gathering', 'loading', 'sending', 'done', 'failed')),
  item_id bigint,
  -- How many meters were ready to hear it.
  meters int not null default 0,
  block_size int,
  blocks_total int,
  blocks_done int not null default 0,
  octets_sent bigint not null default 0,
  -- Failed turns since the last one that got on.
  stumbles int not null default 0,
  released_at timestamptz,
  reason_code text,
  changed_at timestamptz not null default now(),
  unique (job_id, ring, dcu_id)
);
create index upgrade_broadcast_item on upgrade_broadcast (item_id);

-- The device itself takes the image into use at this moment: nobody has to be there to say so.
alter table upgrade_record add column scheduled_at timestamptz;
