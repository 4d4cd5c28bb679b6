-- why: a day has a ceiling of its own, at certain hours nobody cuts off a supply alone, and looser ceilings take a second administrator
-- Null: the line is of an older version, and so is what its seal covers.
alter table relay_limit
  add column max_meters_per_day int check (max_meters_per_day between 0 and 100000),
  add column alone_from_hour smallint check (alone_from_hour between 0 and 24),
  add column alone_to_hour smallint check (alone_to_hour between 0 and 24),
  add column needs_second boolean;

-- The word of the second administrator about ceilings that are looser than those before.
create table relay_limit_word (
  limit_id bigint primary key references relay_limit (id),
  given_by bigint not null,
  given_at timestamptz not null default now(),
  seal bytea not null
);
create trigger relay_limit_word_append_only before update or delete or truncate on relay_limit_word for each statement execute function refuse_rewriting();

-- Clocks are set right by a plan, too.
alter table collect_plan drop constraint collect_plan_type_check;
alter table collect_plan add constraint collect_plan_type_check check (type in (
  'daily', 'monthly', 'energy', 'lpa', 'lpb', 'events', 'registers', 'clock_check', 'clock_sync', 'archive_check', 'topology', 'modules'));
