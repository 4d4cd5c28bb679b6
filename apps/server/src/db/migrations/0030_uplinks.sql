-- why: how well the modem of a DCU hears its cell is known with its moment, because a weak uplink looks like trouble of the DCU

-- What a DCU said last. Null: it did not say, or said that it does not know.
create table dcu_uplink (
  dcu_id bigint primary key references dcu (id) on delete cascade,
  read_at timestamptz not null,
  has_modem boolean not null,
  signal_dbm smallint,
  bit_error_step smallint check (bit_error_step between 0 and 7),
  operator text,
  registration text check (registration in ('not_registered', 'registered_home', 'searching', 'denied', 'unknown', 'registered_roaming')),
  packet_service text check (packet_service in ('inactive', 'gprs', 'edge', 'umts', 'hsdpa', 'lte', 'cdma')),
  cell_id bigint,
  location_id int,
  -- Codes of country and network, as 999-01.
  network text,
  -- By the clock of the DCU.
  measured_at timestamptz
);
