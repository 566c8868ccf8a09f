-- A draw whose pairs were public never sells again (decision M-4), and a ticket that came back leaves last (decision M-3).
alter table draws
  -- When the deal became public; never unset.
  add column revealed_at timestamptz,
  -- Serials that were voided at least once, ascending.
  add column returned_serials smallint[] not null default '{}',
  add constraint draws_returned_serials_exist check (1 <= all (returned_serials) and 169 >= all (returned_serials));

-- Journals from before say it by a result that stood after kick-off, or that was undone to `closed`.
update draws set revealed_at = greatest(kick_off, completed_at) where status = 'completed' and kick_off <= now();
update draws d set revealed_at = u.at
from (
  select e.draw_id, min(e.at) as at
  from draw_events e cross join lateral jsonb_array_elements(e.events -> 'events') x
  where x ->> 'event' = 'undone' and x ->> 'status' = 'closed'
  group by e.draw_id
) u
where u.draw_id = d.id;
update draws d set returned_serials = v.serials
from (
  select e.draw_id, array_agg(distinct s.serial::smallint order by s.serial::smallint) as serials
  from draw_events e cross join lateral jsonb_array_elements(e.events -> 'events') x
    cross join lateral jsonb_array_elements_text(x -> 'serials') s (serial)
  where x ->> 'event' = 'voided'
  group by e.draw_id
) v
where v.draw_id = d.id;

-- Fires only when a statement names one of these columns; a purchase names none of them.
create function keep_draw_revealed() returns trigger language plpgsql as $$
begin
  -- A server of the version before undoes a result without naming `revealed_at`.
  if old.status = 'completed' and new.status = 'closed' and new.revealed_at is null then
    new.revealed_at := now();
  end if;
  if old.revealed_at is null then
    return new;
  end if;
  if new.revealed_at is distinct from old.revealed_at then
    raise exception 'draw % was revealed: that is never unset', old.id using errcode = 'check_violation';
  end if;
  if new.status = 'active' and old.status <> 'active' then
    raise exception 'draw % was revealed: it never sells again', old.id using errcode = 'check_violation';
  end if;
  if new.kick_off > old.kick_off and new.kick_off > old.revealed_at then
    raise exception 'draw % was revealed: its kick-off stays', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger draws_keep_revealed before update of status, kick_off, revealed_at on draws
  for each row execute function keep_draw_revealed();

do $$
begin
  execute 'create or replace view invariant_violations as '
    || rtrim(pg_get_viewdef('invariant_violations'::regclass), '; ')
    || ' union all select ''T11 a revealed draw is not on sale''::text, id::text from draws
         where revealed_at is not null and status = ''active''';
end $$;
