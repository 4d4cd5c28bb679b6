-- why: "no row" meant the whole network, so a new role saw everything, and an area could not go down to a transformer
alter table role add column sees_whole_network boolean not null default false;
update role set sees_whole_network = not exists (select from role_scope where role_scope.role_id = role.id);
-- Each row is one node, of exactly one kind.
alter table role_scope drop constraint role_scope_pkey;
alter table role_scope alter column level_id drop not null;
alter table role_scope add column transformer_id bigint references transformer (id) on delete cascade;
alter table role_scope add constraint role_scope_one_node check (num_nonnulls(level_id, transformer_id) = 1);
create unique index role_scope_level on role_scope (role_id, level_id) where level_id is not null;
create unique index role_scope_transformer on role_scope (role_id, transformer_id) where transformer_id is not null;
