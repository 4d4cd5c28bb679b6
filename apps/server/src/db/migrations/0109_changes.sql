-- why: changes that every node must learn of, even one that was cut off. Ids are given before commits, so readers compare transactions with their snapshot.
create table change (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  -- The process that made the change and has applied it itself.
  origin text not null,
  topic text not null,
  message jsonb not null
);
create index change_by_transaction on change (xid);
