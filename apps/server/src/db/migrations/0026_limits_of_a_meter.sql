-- why: a supply may rightly use more or less than its plate makes one expect, and tariffs of a transformer are asked for as those of its meters are

/** What somebody set for one supply, kWh a day; null: what the plate says, and what the rule says. */
create table meter_limit (
  meter_id bigint primary key references meter (id) on delete cascade,
  upper_kwh numeric(16, 4) check (upper_kwh > 0),
  lower_kwh numeric(16, 4) check (lower_kwh >= 0),
  version int not null default 1,
  changed_at timestamptz not null,
  check (lower_kwh < upper_kwh)
);
create index meter_limit_changed on meter_limit (changed_at);

-- Of the customers, import by tariff and then export by tariff; null: the day was made before they were kept.
alter table energy_balance add column tariffs_kwh numeric[];

-- Thresholds somebody changed before know this one, too.
update setting set value = value || '{"upperLimitFactor": 1}' where key = 'thresholds' and not value ? 'upperLimitFactor';
