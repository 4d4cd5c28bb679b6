-- why: the page of a customer lists the meters that were replaced there
-- phase: backfill
create index concurrently if not exists meter_exchange_customer on meter_exchange (customer_no, at desc) where customer_no is not null;
