-- why: senders of other kinds than webhooks have other settings, and those that write files do so on a schedule.
-- phase: expand
alter table sender
  add column settings jsonb not null default '{}',
  -- Beginning of the last run that left nothing behind; the next one of a schedule follows from it.
  add column last_run_at timestamptz not null default now();
alter table sender alter column url drop not null;
