-- why: a head-end that does not know shared items would execute them as items without a meter, so tasks have them once none of those can start again
-- phase: contract, needs 0135
comment on column task_item.meter_ids is 'Meters of a shared item; only while every head-end knows them';
