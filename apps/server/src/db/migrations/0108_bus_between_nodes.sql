-- why: consoles of one node see what happens at another. Messages above the limit of NOTIFY travel as rows, which live for a minute; a crash may lose them.
create unlogged table bus_message (
  id bigint generated always as identity primary key,
  sent_at timestamptz not null default now(),
  payload text not null
);
