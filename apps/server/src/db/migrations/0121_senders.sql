-- why: other systems receive stored rows in order without asking for them, and the position of each receiver survives a restart.
create table sender (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  kind text not null check (kind in ('webhook')),
  url text not null check (char_length(url) <= 2048),
  -- Name to which the sealed secret is bound; the name of the sender may change.
  ref uuid not null,
  secret bytea not null,
  contents text[] not null check (cardinality(contents) > 0),
  -- Empty: the whole network.
  level_ids bigint[] not null default '{}',
  is_paused boolean not null default false,
  -- Cursor in the outbox by kind.
  positions jsonb not null default '{}',
  -- Rises with each change of the position, so that two nodes never set it back.
  step bigint not null default 0,
  -- By kind: size of the next batch, refusals of the present message, messages put aside and failures in a row, and instant of the next attempt.
  attempts jsonb not null default '{}',
  -- Attempts without success in a row, of the kind with most of them.
  failures int not null default 0,
  -- Of the failing kind that is tried first.
  next_try_at timestamptz not null default now(),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  failure_code text,
  failure_detail text,
  sent bigint not null default 0,
  created_at timestamptz not null default now(),
  version int not null default 1
);
create unique index sender_name on sender (lower(name));

-- Messages that the receiver refused twice; those after them went on.
create table sender_dead_letter (
  id bigint generated always as identity primary key,
  sender_id bigint not null references sender (id) on delete cascade,
  at timestamptz not null default now(),
  message_id text not null,
  kind text not null,
  reason text not null,
  content jsonb not null
);
create index sender_dead_letter_of on sender_dead_letter (sender_id, id desc);
