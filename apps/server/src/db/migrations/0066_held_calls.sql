-- why: a dangerous call above the limit of one person waits for a second one, as orders to relays do
create table held_call (
  id bigint generated always as identity primary key,
  route text not null,
  -- Parameters, query and body, sealed by the master key: keys may be among them.
  content bytea not null,
  -- Keyed hash of the same: a call that is repeated waits once.
  digest bytea not null,
  devices int not null,
  reason text check (char_length(reason) <= 256),
  requested_by bigint not null references app_user (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'failed')),
  approver_id bigint references app_user (id),
  decided_at timestamptz,
  comment text check (char_length(comment) <= 256),
  check (requested_by <> approver_id)
);
create index held_call_created on held_call (created_at);
