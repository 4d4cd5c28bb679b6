-- why: a row that makes a right counts only when this server wrote it, as with orders to relays
-- One seal for each user and role. The number grows with each renewal; `digest` is null when the subject was deleted.
create table right_seal (
  kind text not null check (kind in ('user', 'role')),
  subject_id bigint not null,
  number bigint not null check (number > 0),
  digest bytea,
  seal bytea not null,
  primary key (kind, subject_id)
);
-- Over user, times and proof of the session.
alter table user_session add column seal bytea;
