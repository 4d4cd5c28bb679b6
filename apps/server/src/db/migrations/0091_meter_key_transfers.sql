-- why: the answer to a transfer of keys can be lost, and then nobody knows which keys the meter has. The keys that were sent are kept
-- until the meter has proved which ones it uses; without them the meter would be lost.
-- The serial number is part of what the keys are sealed for.
create table meter_key_transfer (
  meter_id bigint primary key references meter (id) on delete cascade,
  sn text not null,
  ek_secret bytea not null,
  ak_secret bytea not null,
  task_id bigint not null,
  sent_at timestamptz not null default now()
);
