-- why: which of two commands was sent later decides what a relay shows, and the clock of the database may have been set back between them
alter table relay_sent add column sent_order bigint generated always as identity;
