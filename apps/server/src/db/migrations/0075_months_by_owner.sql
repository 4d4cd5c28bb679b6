-- why: the server's own role owns no table, so these functions make and drop the monthly partitions with the rights of the owner.
-- They take only the three tables that have months, and drop no month that has not ended.
create function month_partition(parent regclass, month date) returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if parent not in ('public.reading_daily'::regclass, 'public.reading_profile'::regclass, 'public.trace'::regclass) then
    raise exception '% has no months', parent using errcode = 'invalid_parameter_value';
  end if;
  return (select relname from pg_class where oid = parent) || to_char(month, '_YYYY_MM');
end
$$;

create function add_month(parent regclass, month date) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  first date := date_trunc('month', month)::date;
begin
  execute format('create table if not exists public.%I partition of %s for values from (%L) to (%L)',
    public.month_partition(parent, first), parent, first, (first + interval '1 month')::date);
end
$$;

create function drop_month(parent regclass, month date) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  first date := date_trunc('month', month)::date;
begin
  if first + interval '1 month' > now() then
    raise exception 'The month % has not ended', to_char(first, 'YYYY-MM') using errcode = 'invalid_parameter_value';
  end if;
  execute format('drop table if exists public.%I', public.month_partition(parent, first));
end
$$;
