-- why: a list of a million meters is sorted and searched by more than the serial number.

-- One index serves both ways: known numbers first, and the other way round those without one.
drop index meter_customer;
create index meter_customer on meter (customer_no desc nulls last, sn desc);
-- Who searches types either number: with an index for one of them only, the whole table would be read.
create index meter_customer_trgm on meter using gin (customer_no gin_trgm_ops);
create index meter_created on meter (created_at, sn);
