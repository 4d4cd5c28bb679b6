-- why: an empty installation has a reference DCU and reference meters to begin with; what came with the head-end is known by a key of its own, which no owner's code can meet.
alter table supplier add column builtin_key text unique;
alter table dcu_type add column builtin_key text unique;
alter table meter_type add column builtin_key text unique;
