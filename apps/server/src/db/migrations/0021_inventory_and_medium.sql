-- why: a state and a medium that hardly occur together had the whole table read for a page of fifty meters.
create index meter_inventory_medium on meter (inventory_state, communication_mode, sn);
