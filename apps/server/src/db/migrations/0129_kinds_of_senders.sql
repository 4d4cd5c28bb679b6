-- why: senders of other kinds than webhooks have other settings, and those that write files do so on a schedule.
-- phase: expand
alter table sender add column settings jsonb not null default '{}';
update sender set settings = jsonb_build_object('url', url);
alter table sender alter column url drop not null;
-- The kinds are declared in the contract.
alter table sender drop constraint sender_kind_check;
alter table sender add constraint sender_kind_check check (char_length(kind) between 1 and 32);
-- Beginning of the last run that left nothing behind; the next one of a schedule follows from it.
alter table sender add column last_run_at timestamptz not null default now();
