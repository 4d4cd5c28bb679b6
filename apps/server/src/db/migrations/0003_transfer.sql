-- why: lists are imported in two steps and exported in the background: what lies between is kept, and what a person arranged on a page follows him.

create table import_job (
  id bigint generated always as identity primary key,
  user_id bigint not null references app_user (id),
  entity text not null,
  file_name text not null,
  -- Lines with their verdicts, sealed: a list of devices carries keys, a list of users passwords.
  content bytea not null,
  created_at timestamptz not null default now(),
  done_at timestamptz
);
create index import_job_created on import_job (created_at);

create table export_job (
  id bigint generated always as identity primary key,
  user_id bigint not null references app_user (id),
  list text not null,
  file_name text not null,
  state text not null default 'running' check (state in ('running', 'ready', 'failed')),
  rows int not null default 0,
  octets bigint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index export_job_user on export_job (user_id, id desc);
create index export_job_created on export_job (created_at);

-- The file in pieces, so that writing and sending it never holds the whole.
create table export_piece (
  job_id bigint not null references export_job (id) on delete cascade,
  number int not null,
  content bytea not null,
  primary key (job_id, number)
);

create table user_preference (
  user_id bigint not null references app_user (id) on delete cascade,
  key text not null check (char_length(key) between 1 and 128),
  value jsonb not null check (octet_length(value::text) <= 16384),
  updated_at timestamptz not null default now(),
  primary key (user_id, key)
);
