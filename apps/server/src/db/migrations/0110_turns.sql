-- why: jobs of the whole installation run at one node at a time: at the holder of their turn, until its row in `node` has ended.
create table turn (
  name text primary key,
  node_id bigint not null,
  taken_at timestamptz not null default now()
);
