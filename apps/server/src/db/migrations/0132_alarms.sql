-- why: what happened at night must reach a person, once for each cause, also when a process dies between sending and recording.
-- phase: expand
create table alarm_channel (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  kind text not null check (kind in ('email', 'webhook')),
  -- Without secrets.
  config jsonb not null,
  -- Name to which the sealed secret is bound; the name of the channel may change.
  ref uuid not null,
  -- Mail server with port, or host of the webhook, for lists.
  target text not null,
  -- Address of a webhook, password, and key of the signature, sealed together.
  secret bytea not null,
  has_secret boolean not null default false,
  is_paused boolean not null default false,
  -- Attempts without success in a row.
  failures int not null default 0,
  -- The head-end has raised its alarm about this failure.
  is_reported boolean not null default false,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  failure_code text,
  failure_detail text,
  created_at timestamptz not null default now(),
  version int not null default 1
);
create unique index alarm_channel_name on alarm_channel (lower(name));

create table alarm_recipient (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  email text,
  phone text,
  locale text not null,
  created_at timestamptz not null default now(),
  version int not null default 1
);
create unique index alarm_recipient_name on alarm_recipient (lower(name));

create table alarm_rule (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  kind text not null check (kind in ('alarm', 'digest')),
  criteria jsonb not null,
  steps jsonb not null,
  is_paused boolean not null default false,
  -- A digest whose time was earlier waits for the next day.
  effective_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  version int not null default 1
);
create unique index alarm_rule_name on alarm_rule (lower(name));

-- What one rule found about one cause, or one daily digest.
create table alarm (
  id bigint generated always as identity primary key,
  rule_id bigint not null references alarm_rule (id) on delete cascade,
  -- Null for a digest.
  log text,
  code int,
  level text check (level in ('serious', 'warning')),
  -- Local day of a digest.
  day date,
  opened_at timestamptz not null,
  -- Arrival of the last event.
  last_at timestamptz not null,
  -- Span in which its events occurred.
  first_occur_at timestamptz,
  last_occur_at timestamptz,
  events int not null default 0,
  -- DCUs, or direct meters, of its events.
  dcu_ids bigint[] not null default '{}',
  -- Steps taken.
  step int not null default 0,
  -- Span until the next step, from the moment that set it; null: none follows.
  wait_seconds int,
  wait_since timestamptz,
  -- Instant of the first step.
  notified_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by bigint,
  closed_at timestamptz
);
create index alarm_open on alarm (rule_id, log, code) where closed_at is null;
create index alarm_newest on alarm (id desc);
create unique index alarm_digest on alarm (rule_id, day) where day is not null;

create table alarm_event (
  alarm_id bigint not null references alarm (id) on delete cascade,
  event_id bigint not null,
  primary key (alarm_id, event_id)
);

create table alarm_message (
  id bigint generated always as identity primary key,
  alarm_id bigint not null references alarm (id) on delete cascade,
  channel_id bigint not null references alarm_channel (id) on delete cascade,
  step int not null,
  recipient_ids bigint[] not null,
  locale text not null,
  -- Message-ID, the same for each attempt.
  message_id uuid not null unique,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'dropped')),
  attempts int not null default 0,
  -- Span until the next attempt, from the moment that set it.
  wait_seconds int not null default 0,
  wait_since timestamptz not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  failure_code text,
  answer text
);
create index alarm_message_waiting on alarm_message (id) where state = 'waiting';
create index alarm_message_of on alarm_message (alarm_id, id);
create index alarm_message_sent on alarm_message (channel_id, sent_at) where state = 'sent';

-- The last event that rules were applied to.
create table alarm_mark (
  is_only boolean primary key default true check (is_only),
  event_id bigint not null
);
