-- why: people, roles, menu and settings are changed by hand: changes need versions, a deleted user stays known to the audit log, and that log refuses to be rewritten.

alter table app_user add column deleted_at timestamptz;
drop index app_user_username;
create unique index app_user_username on app_user (lower(username)) where deleted_at is null;
create index user_role_role on user_role (role_id);

alter table role add column created_at timestamptz not null default now();
alter table role add column updated_at timestamptz not null default now();

alter table module add column updated_at timestamptz not null default now();
alter table module add column version int not null default 1;
create index module_parent on module (parent_id, sort);

alter table setting add column version int not null default 1;

create index audit_log_user on audit_log (user_id, id desc);
create index audit_log_entity on audit_log (entity, entity_id, id desc);
create index audit_log_action on audit_log (action, id desc);

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_log_append_only before update or delete or truncate on audit_log for each statement execute function refuse_rewriting();
