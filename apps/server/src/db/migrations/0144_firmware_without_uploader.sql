-- why: firmware that comes with the demonstration was uploaded by no user
-- phase: expand
alter table firmware alter column created_by drop not null;
