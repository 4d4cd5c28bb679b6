-- why: an open alarm keeps the steps and times of its rule as they were when it opened, and each recipient of a message has an outcome.
-- phase: expand
alter table alarm
  add column rule_name text,
  add column criteria jsonb,
  add column steps jsonb,
  -- Why it was closed before its steps ended.
  add column end_reason text;
alter table alarm_message
  -- One object for each recipient that was tried or left out.
  add column outcomes jsonb not null default '[]',
  -- An attempt ended after the message had left and before the answer.
  add column is_uncertain boolean not null default false;
