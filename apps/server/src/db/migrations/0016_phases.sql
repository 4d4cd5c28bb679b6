-- why: the phase that witnesses agree on is kept with what each of them said, so that who accepts it can judge it, and its way into the archive can be followed

create table phase_result (
  meter_id bigint primary key references meter (id) on delete cascade,
  transformer_id bigint not null references transformer (id) on delete cascade,
  module_phase text check (module_phase in ('a', 'b', 'c')),
  module_at timestamptz,
  master_correlations real[],
  master_samples int not null default 0,
  master_phase text check (master_phase in ('a', 'b', 'c')),
  master_support real,
  neighbour_correlations real[],
  neighbour_meters int not null default 0,
  neighbour_phase text check (neighbour_phase in ('a', 'b', 'c')),
  neighbour_support real,
  final_phase text check (final_phase in ('a', 'b', 'c', 'abc')),
  confidence real,
  computed_at timestamptz not null,
  accepted_by bigint,
  accepted_at timestamptz,
  written_at timestamptz
);
create index phase_result_transformer on phase_result (transformer_id);
