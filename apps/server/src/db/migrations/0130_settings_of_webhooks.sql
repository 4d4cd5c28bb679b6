-- why: the address of a webhook stands in its settings
-- phase: backfill
with batch as (select id, url from sender where settings = '{}' and url is not null order by id limit 100 for update skip locked)
update sender s set settings = jsonb_build_object('url', batch.url) from batch where s.id = batch.id;
