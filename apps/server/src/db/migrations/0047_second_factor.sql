-- why: a password that was guessed, or used elsewhere too, must not be enough to switch off a supply: beside it stands something a person holds
create table second_factor (
  user_id bigint primary key references app_user (id),
  -- RFC 6238, sealed by the master key.
  secret bytea not null,
  created_at timestamptz not null,
  -- Null: shown, and not proved by a first code yet.
  confirmed_at timestamptz,
  -- The interval of the code that was taken last: no code counts twice.
  last_step int not null default 0
);

-- One row a code that was not used yet: a keyed hash, so that who reads the table has nothing to type.
create table recovery_code (
  user_id bigint not null references second_factor (user_id) on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);

-- When this session gave a code last, to do something dangerous.
alter table user_session add column proved_at timestamptz;
