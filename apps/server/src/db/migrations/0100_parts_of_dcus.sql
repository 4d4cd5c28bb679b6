-- why: a DCU of another make may lack an archive, a search or a topology; orders and periodic jobs leave out what its profile does not have
alter table southbound_profile add column parts text[] not null default '{}';
