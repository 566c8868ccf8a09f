with line as (
  update order_lines l set serials = a.serials::smallint[], application_fee_cents = a.fee
  from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[]) as a (draw_id, order_id, serials, fee, epoch)
  where l.order_id = a.order_id and l.draw_id = a.draw_id and l.serials is null
    and l.count = cardinality(a.serials::smallint[])
  returning l.id, l.draw_id, l.serials, a.epoch
), given as (
  insert into tickets (draw_id, serial, order_line_id, epoch)
  select line.draw_id, s.serial, line.id, line.epoch
  from line cross join lateral unnest(line.serials) as s (serial)
), counted as (
  update orders o set
    lines_allocated = o.lines_allocated + a.lines,
    application_fee_cents = o.application_fee_cents + a.fee,
    state = case when o.lines_allocated + a.lines = o.lines then 'allocated' else 'quoted' end,
    authorised_at = coalesce(o.authorised_at, a.authorised),
    allocated_at = case when o.lines_allocated + a.lines = o.lines then a.at else o.allocated_at end,
    reason = case when o.lines_allocated + a.lines = o.lines then null else o.reason end,
    ended_at = null
  from (
    select order_id, count(*)::smallint as lines, sum(fee)::bigint as fee, max(at) as at, bool_or(sells) as sells,
      min(authorised) as authorised
    from unnest($2::uuid[], $4::bigint[], $6::timestamptz[], $7::boolean[], $8::timestamptz[])
      as u (order_id, fee, at, sells, authorised)
    group by order_id
  ) a
  where o.id = a.order_id
    and (o.state = 'quoted' or (not a.sells and o.state in ('rejecting', 'released', 'anomaly')))
  returning o.id, o.state = 'allocated' as complete, a.at
), due as (
  insert into payment_ops (order_id, kind, key, due_at)
  select id, 'capture', 'cap-' || id, at + $9 * interval '1 millisecond' from counted where complete
  on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
    where payment_ops.state in ('dropped', 'failed')
)
select (select count(*) from line) as "lines!", (select count(*) from counted) as "orders!"
