-- why: several head-ends serve the consoles of one installation, so what is valid once, and what is counted exactly, is known to all of them
-- Single-use tokens that were used. Their contents are in the signed tokens themselves.
create table spent_nonce (
  -- Its signed octets by SHA-256.
  name bytea primary key check (octet_length(name) = 32),
  ends_at timestamptz not null
);
create index spent_nonce_end on spent_nonce (ends_at);

-- Failed sign-ins with names that no user has. Names are hashed with a key, because users also type passwords into that field.
create table unknown_sign_in (
  name_hash bytea primary key check (octet_length(name_hash) = 32),
  failed_count int not null default 0,
  failed_since timestamptz
);
create index unknown_sign_in_since on unknown_sign_in (failed_since nulls first);

-- Token buckets of limits that hold over all head-ends together.
create table shared_limit (
  name text not null,
  key text not null,
  tokens double precision not null,
  filled_at timestamptz not null,
  primary key (name, key)
);
create index shared_limit_filled on shared_limit (filled_at);
