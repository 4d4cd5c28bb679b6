-- why: programs of the area that a device leaves are told, or they would keep it for ever
-- phase: expand
-- Transformers that the devices of the row were moved from; null in other rows.
alter table outbox add column lefts bigint[];

create function announce_move(of_subject text, of_id bigint, of_left bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4059029, hashtext('assets'));
  if exists (select from outbox_reader r where r.kind = 'assets') then
    insert into outbox (kind, subject, ids, lefts) values ('assets', of_subject, array[of_id], array[of_left]);
  end if;
end $$;

-- Only meters and DCUs have a transformer; the expressions of other tables are never evaluated.
create or replace function announce_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_argv[1] in ('meter', 'dcu') then
    if old.transformer_id is distinct from new.transformer_id then
      perform announce_move(tg_argv[1], new.id, old.transformer_id);
      return null;
    end if;
  end if;
  perform announce(tg_argv[0], tg_argv[1], array[new.id]);
  return null;
end $$;
