-- why: what is missing is known by meter, profile and day, with its reason and its next try; the frames of a DCU are kept while somebody debugs it.

-- Days with less than was expected. A filled one stays: its slots are "refilled". `day` is a day of the utility for
-- daily freezes and a UTC day for profiles, as in their tables.
create table reading_gap (
  id bigint generated always as identity primary key,
  meter_id bigint not null references meter (id) on delete cascade,
  profile text not null check (profile in ('daily', 'energy', 'lpa', 'lpb')),
  day date not null,
  -- Slots that are missing, the first and the last of them.
  missing int not null check (missing >= 0),
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- What stood in the way when it was last tried; null: not tried yet.
  reason_code text,
  attempts int not null default 0,
  next_try_at timestamptz not null,
  state text not null default 'open' check (state in ('open', 'filled', 'lost', 'no_data')),
  -- What a person said about it.
  note text,
  found_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  unique (meter_id, profile, day)
);
create index reading_gap_due on reading_gap (next_try_at) where state = 'open';
create index reading_gap_day on reading_gap (profile, day, state);

-- Who is listened to, how closely, and until when.
create table dcu_capture (
  dcu_id bigint primary key references dcu (id) on delete cascade,
  level text not null check (level in ('errors', 'all')),
  ends_at timestamptz not null,
  -- Empty: the DCU and all of its meters.
  meter_ids bigint[] not null default '{}',
  set_by bigint,
  set_at timestamptz not null default now()
);

-- A frame of a captured exchange. The bytes are those of the wire, secrets blanked; `plain` is the APDU behind the cipher.
create table dcu_frame_log (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  at timestamptz not null,
  direction text not null check (direction in ('down', 'up')),
  channel text not null check (channel in ('D', 'M', 'P')),
  meter_id bigint,
  service text not null,
  octets bytea not null,
  plain bytea,
  -- Of an answer: since the request.
  latency_ms int,
  -- Null: nothing wrong.
  result text,
  note text,
  session_id bigint,
  trace_id uuid
);
create index dcu_frame_log_dcu on dcu_frame_log (dcu_id, at desc, id desc);
create index dcu_frame_log_at on dcu_frame_log (at);
