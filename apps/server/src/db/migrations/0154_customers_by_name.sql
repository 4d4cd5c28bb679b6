-- why: customers are searched by a part of their name among a million meters
-- phase: backfill
create index concurrently if not exists meter_customer_name_trgm on meter using gin (customer_name gin_trgm_ops);
