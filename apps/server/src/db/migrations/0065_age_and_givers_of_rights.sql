-- why: a right that is younger than a day orders and approves nothing dangerous, and its giver takes no part in the decisions of its holder
-- Rights from before this migration, and those that come with the installation, count as old and have no giver.
alter table user_role
  add column granted_at timestamptz not null default '2000-01-01',
  add column granted_by bigint references app_user (id);
alter table user_role alter column granted_at set default now();

alter table role_action
  add column granted_at timestamptz not null default '2000-01-01',
  add column granted_by bigint references app_user (id);
alter table role_action alter column granted_at set default now();

alter table role
  add column area_widened_at timestamptz not null default '2000-01-01',
  add column area_widened_by bigint references app_user (id);

-- When another person last set the password or took away the second factor.
alter table app_user
  add column credentials_reset_at timestamptz,
  add column credentials_reset_by bigint references app_user (id);
