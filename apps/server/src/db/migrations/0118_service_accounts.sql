-- why: programs of the utility call the API with accounts and tokens of their own instead of the password of a person.
alter table app_user
  add column kind text not null default 'person' check (kind in ('person', 'program')),
  -- Dangers that a program may order; a person gives own proof instead.
  add column may_order text[] not null default '{}';

-- The secret of a token has 256 random bits, so its plain SHA-256 cannot be reversed.
create table program_token (
  id bigint generated always as identity primary key,
  user_id bigint not null references app_user (id) on delete cascade,
  name text not null,
  hash bytea not null,
  -- Addresses and networks from which the token may be used; empty: all.
  address_ranges text[] not null default '{}',
  created_at timestamptz not null,
  created_by bigint references app_user (id) on delete set null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text
);
create unique index program_token_name on program_token (user_id, lower(name));
