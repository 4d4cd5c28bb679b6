-- Wrong passwords are counted for each browser that a user has signed in with, apart from unknown ones, and wrong proofs for each session:
-- callers who know only a name cannot lock out its owner.
create table known_browser (
  user_id bigint not null references app_user (id) on delete cascade,
  -- SHA-256 of what the browser's cookie holds.
  hash bytea not null,
  failed_count int not null default 0,
  failed_since timestamptz,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (user_id, hash)
);
create index known_browser_hash on known_browser (hash);

-- Wrong passwords and codes of a standing session since the last right one.
alter table user_session add column failed_proofs int not null default 0;
