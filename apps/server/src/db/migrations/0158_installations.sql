-- why: a new meter that a crew installs has a first value and a photo, like a replacement, but no meter before it
-- phase: expand
alter table meter_exchange alter column old_meter_id drop not null;
