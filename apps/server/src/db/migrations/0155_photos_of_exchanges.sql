-- why: crews keep a photo of the removed meter and its last value with its replacement
-- phase: expand
create table meter_exchange_photo (
  exchange_id bigint primary key references meter_exchange (id) on delete cascade,
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/webp')),
  octets bytea not null check (octet_length(octets) between 1 and 2097152),
  taken_by bigint not null,
  created_at timestamptz not null
);
