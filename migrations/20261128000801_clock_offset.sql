-- The demo's clock can be moved ahead to play a season in minutes; `server serve` refuses to start on a database whose clock was moved.
create table clock_offset (
    is_only_row boolean primary key default true check (is_only_row),
    ahead_ms bigint not null default 0 check (ahead_ms >= 0)
);
insert into clock_offset default values;
-- The login of bank details writes rows whose defaults read it.
grant select on clock_offset to public;

-- The time the product goes by: kick-off, due dates, retention. Leases, locks and heartbeats use Postgres's own clock.
create function current_instant() returns timestamptz language plpgsql volatile as $$
begin
    return clock_timestamp() + (select o.ahead_ms from public.clock_offset o) * interval '1 millisecond';
end $$;

-- The same at the start of the transaction, as now() is to clock_timestamp().
create function transaction_instant() returns timestamptz language plpgsql stable as $$
begin
    return now() + (select o.ahead_ms from public.clock_offset o) * interval '1 millisecond';
end $$;

-- Every default and every view that said now(). nodes.started_at says clock_timestamp() and stays.
do $$
declare
    found record;
begin
    for found in
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and column_default = 'now()' and table_name <> '_sqlx_migrations'
    loop
        execute format('alter table public.%I alter column %I set default public.transaction_instant()',
            found.table_name, found.column_name);
    end loop;
    for found in
        select viewname, definition from pg_views where schemaname = 'public' and definition like '%now()%'
    loop
        execute format('create or replace view public.%I as %s',
            found.viewname, replace(found.definition, 'now()', 'public.transaction_instant()'));
    end loop;
end $$;
