-- why: the kinds of senders are declared in the contract, and their addresses stand in their settings
-- phase: contract, needs 0129
alter table sender drop constraint sender_kind_check;
alter table sender add constraint sender_kind_check check (char_length(kind) between 1 and 32);
alter table sender drop column url;
alter table sender alter column settings drop default;
