-- why: a setting that decides who may sign in is sealed, as users, roles and sessions are.
-- phase: expand
alter table setting add column seal bytea;
