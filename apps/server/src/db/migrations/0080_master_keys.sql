-- why: a master key that was stolen, or whose keeper leaves, has to be replaced while the head-end serves, and a crash must not lose the way
create table master_key (
  -- Derived from the key; tells keys apart and reveals nothing.
  key_id text primary key,
  state text not null check (state in ('current', 'retiring', 'retired')),
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Of the current key: derived keys that stay as they are, and keys of the chains before it, sealed.
  kept bytea,
  -- Secrets that were sealed again so far, while the key before it retires.
  resealed bigint not null default 0
);
create unique index master_key_current on master_key (state) where state in ('current', 'retiring');
