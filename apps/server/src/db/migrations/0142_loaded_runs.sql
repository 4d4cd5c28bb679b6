-- why: runs that were loaded as history of the demonstration say so wherever they are shown
-- phase: expand
alter table task add column is_loaded boolean not null default false;
