-- why: a program that got no answer repeats its order with the same key, and the order is placed once.
create table idempotency_key (
  user_id bigint not null references app_user (id) on delete cascade,
  key text not null check (char_length(key) between 1 and 128),
  -- Digest of method, path and input: another call with the same key is refused.
  digest bytea not null,
  -- Null: the first call has not ended, or the head-end stopped while it ran.
  answer jsonb,
  created_at timestamptz not null,
  primary key (user_id, key)
);
create index idempotency_key_age on idempotency_key (created_at);
