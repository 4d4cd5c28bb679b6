-- why: a utility signs its people in by its own directory, and rights follow from the groups there
-- phase: expand
create table identity_provider (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  kind text not null check (kind in ('oidc', 'ldap')),
  -- Name to which the sealed content is bound; the name of the provider may change.
  ref uuid not null,
  -- Settings, secret, mapping of groups to roles, and who last changed them, sealed together: they decide who has which rights.
  secret bytea not null,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  failure_code text,
  failure_detail text,
  created_at timestamptz not null default now(),
  version int not null default 1
);
create unique index identity_provider_name on identity_provider (lower(name));

-- Accounts of persons that an identity provider vouches for. The subject is its permanent name of the person.
create table external_identity (
  user_id bigint primary key references app_user (id) on delete cascade,
  provider_id bigint not null references identity_provider (id),
  subject text not null check (char_length(subject) between 1 and 512),
  created_at timestamptz not null,
  -- The provider no longer gives the person a role.
  ended_at timestamptz,
  unique (provider_id, subject)
);

-- The provider that opened a session, and its name of the session there.
alter table user_session add column provider_id bigint, add column provider_sid text;
