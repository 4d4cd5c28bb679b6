-- why: a code can be typed into the page of an attacker; a key signs for the console's own address alone
-- phase: expand
create table security_key (
  id bigint generated always as identity primary key,
  user_id bigint not null references app_user (id),
  name text not null check (char_length(name) between 1 and 64),
  -- Host name that the key is bound to.
  rp_id text not null check (char_length(rp_id) between 1 and 253),
  credential_id bytea not null unique,
  -- Public key in COSE (RFC 9052).
  public_key bytea not null,
  -- Uses that the key has counted; 0 forever for keys that are synchronised between devices.
  sign_count bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index security_key_user on security_key (user_id);
