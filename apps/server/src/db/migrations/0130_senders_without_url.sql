-- why: the address of a webhook stands in its settings
-- phase: contract, needs 0129
alter table sender drop column url;
alter table sender alter column settings drop default;
