-- Application fees are followed line by line. The ledger says what is due of a draw; what its orders hold beyond that is owed
-- until captured orders have given it back. An order that is let go uncharged takes its own part off the ledger, which then
-- stands below the formula until the next sale makes it up: it never stands above.

alter table order_lines
  -- The part of this line's fee that was given back, queued or done (decision D-3).
  add column fee_refunded_cents bigint not null default 0,
  add constraint order_lines_fee_refund_within_fee check (fee_refunded_cents between 0 and application_fee_cents);

alter table draws
  -- What its orders hold beyond `fee_cents`: to be given back by fee refunds.
  add column fee_to_return_cents bigint not null default 0,
  add constraint draws_fee_owed_is_no_credit check (fee_to_return_cents >= 0),
  drop constraint draws_fee_telescopes,
  add constraint draws_fee_within_policy check (
    fee_cents between 0 and least(fee_cap_cents, (revenue_cents * fee_rate_bps * 2 + 10000) / 20000)
  );
create index draws_owing on draws (id) where fee_to_return_cents > 0;

-- What orders gave back before lines were followed came from their first lines first.
update order_lines l
set fee_refunded_cents = least(l.application_fee_cents, greatest(0, o.fee_refunded_cents - w.before))
from orders o, (
  select id, coalesce(sum(application_fee_cents) over (
    partition by order_id order by draw_id rows between unbounded preceding and 1 preceding), 0) as before
  from order_lines
) w
where o.id = l.order_id and w.id = l.id and o.fee_refunded_cents > 0;
update draws d set fee_to_return_cents = h.fees - d.fee_cents
from (select draw_id, sum(application_fee_cents - fee_refunded_cents) as fees from order_lines group by draw_id) h
where h.draw_id = d.id and h.fees > d.fee_cents;

create or replace view invariant_violations (invariant, object) as

-- Tickets

select 'T1 a draw counts what its rows say', d.id::text
from draws d
  left join (select draw_id, count(*) as sold from tickets group by draw_id) t on t.draw_id = d.id
  left join (select draw_id, sum(count) as held from reservations group by draw_id) r on r.draw_id = d.id
where d.sold <> coalesce(t.sold, 0) or d.held <> coalesce(r.held, 0)

union all
select 'T2 a line has exactly the tickets it names', coalesce(l.id, t.order_line_id)::text
from (select id, serials from order_lines where serials is not null) l
  full join (select order_line_id, array_agg(serial order by serial) as serials from tickets group by order_line_id) t
    on t.order_line_id = l.id
where l.serials is distinct from t.serials

union all
select 'T2 a paid order has tickets for every line', o.id::text
from orders o
where o.state = 'captured' and o.lines_allocated < o.lines
  and not exists (select 1 from anomalies a where a.order_id = o.id and a.resolved_at is null)

union all
select 'T2 an order counts its lines', o.id::text
from orders o
  left join (select order_id, count(*) as lines, count(serials) as allocated from order_lines group by order_id) l
    on l.order_id = o.id
where o.lines <> coalesce(l.lines, 0) or o.lines_allocated <> coalesce(l.allocated, 0)

union all
select 'T3 an order that ended holds no ticket', o.id::text
from orders o
where o.state in ('released', 'void') and o.lines_allocated > 0

union all
-- A cart passes through this; it does not stay there.
select 'T3 an unpaid order holds no ticket for long', o.id::text
from orders o
where o.state in ('quoted', 'rejecting') and o.lines_allocated > 0
  and exists (select 1 from order_lines l join tickets t on t.order_line_id = l.id and t.draw_id = l.draw_id
              where l.order_id = o.id and t.sold_at < now() - interval '10 minutes')

union all
select 'T4 the journal has every revision', d.id::text
from draws d
  left join (select draw_id, count(*) as commits, max(revision) as last from draw_events group by draw_id) e
    on e.draw_id = d.id
where d.revision <> coalesce(e.commits, 0) or d.revision <> coalesce(e.last, 0)

union all
select 'T4 nothing is journalled or booked for a draw that is not there', r.draw_id::text
from (select draw_id from draw_events union select draw_id from fee_ledger union select draw_id from reservations) r
where not exists (select 1 from draws d where d.id = r.draw_id)

union all
-- Rule 5: but for a repair of what was authorised before kick-off, while no result had been entered.
select 'T5 no ticket is sold at or after kick-off', t.draw_id || '/' || t.serial
from tickets t join draws d on d.id = t.draw_id
  join order_lines l on l.id = t.order_line_id join orders o on o.id = l.order_id
where t.sold_at >= d.kick_off
  and not (o.authorised_at < d.kick_off and (d.completed_at is null or t.sold_at < d.completed_at))

union all
select 'T6 tickets leave in the committed order', d.id::text
from draws d join (select draw_id, max(serial) as last from tickets group by draw_id) t on t.draw_id = d.id
where t.last > d.sold
  and not exists (select 1 from fee_ledger f where f.draw_id = d.id and f.revenue_delta < 0)

union all
select 'T7 no ticket was sold by an owner yet to come', t.draw_id || '/' || t.serial
from tickets t join draws d on d.id = t.draw_id
where t.epoch > d.owner_epoch

union all
select 'T7 no commit was made by an earlier owner', e.draw_id || '@' || e.revision
from (select draw_id, revision, epoch, lag(epoch) over (partition by draw_id order by revision) as before from draw_events) e
where e.epoch < e.before

union all
select 'T8 an outcome is what the journal says', d.id::text
from draws d
  left join draw_events c on c.draw_id = d.id and c.revision = d.completed_revision
  left join lateral jsonb_array_elements(c.events -> 'events') e on e ->> 'event' = 'completed'
where d.status = 'completed'
  and (d.result_home, d.result_away, d.winning_serial, d.prize_cents)
    is distinct from ((e ->> 'home')::int, (e ->> 'away')::int, (e ->> 'winner')::int, (e ->> 'prize_cents')::bigint)

-- Money inside these tables

union all
select 'M1 an order is the sum of its lines', o.id::text
from orders o join order_lines l on l.order_id = o.id
group by o.id
having sum(l.count * l.unit_price_cents) <> o.subtotal_cents or sum(l.card_fee_cents) <> o.card_fee_cents

union all
select 'M2 an order''s fee is the sum of its lines''', o.id::text
from orders o join order_lines l on l.order_id = o.id
group by o.id
having sum(l.application_fee_cents) <> o.application_fee_cents

union all
select 'M3 tickets were sold at the draw''s price, to its club''s order', l.id::text
from order_lines l join draws d on d.id = l.draw_id join orders o on o.id = l.order_id
where (l.serials is not null and l.unit_price_cents <> d.price_cents) or d.club_id <> o.club_id

union all
select 'M3 an order belongs to a club', o.id::text
from orders o
where not exists (select 1 from clubs c where c.id = o.club_id)

union all
select 'M3 what is done outside is done for an order', r.order_id::text
from (select order_id from payment_ops union select order_id from payments
      union select order_id from email_outbox where order_id is not null) r
where not exists (select 1 from orders o where o.id = r.order_id)

union all
select 'M4 the fee ledger telescopes', f.draw_id || '@' || f.revision
from (
  select f.*, coalesce(lag(revenue_after) over w, 0) as revenue_before, coalesce(lag(fee_after) over w, 0) as fee_before
  from fee_ledger f window w as (partition by draw_id order by revision)
) f join draws d on d.id = f.draw_id
where f.revenue_after <> f.revenue_before + f.revenue_delta or f.fee_after <> f.fee_before + f.fee_delta
  or f.fee_after > fee_on(f.revenue_after, d.fee_rate_bps, d.fee_cap_cents)

union all
select 'M5 the fee ledger ends at what is sold', d.id::text
from draws d left join lateral (
  select revenue_after, fee_after from fee_ledger f where f.draw_id = d.id order by revision desc limit 1
) f on true
where coalesce(f.revenue_after, 0) <> d.sold * d.price_cents
  or d.revenue_cents <> d.sold * d.price_cents or coalesce(f.fee_after, 0) <> d.fee_cents

union all
select 'M6 an open order is on its club''s account', o.id::text
from orders o join clubs c on c.id = o.club_id
where o.state in ('quoted', 'allocated', 'rejecting') and o.account_id is distinct from c.stripe_connect_account_id

union all
select 'M7 a prize is the formula''s, at the result', d.id::text
from draws d left join lateral (
  select revenue_after from fee_ledger f where f.draw_id = d.id and f.revision < d.completed_revision
  order by revision desc limit 1
) f on true
where d.status = 'completed'
  and d.prize_cents <> prize_of(coalesce(f.revenue_after, 0), d.prize_percentage, d.round_up_prize)

-- These tables against what the reconciler saw at the provider

union all
select 'P1 money taken is tickets, a refund, or an open anomaly', p.payment_intent_id
from provider_pi p left join orders o on o.payment_intent_id = p.payment_intent_id
where p.status = 'succeeded' and p.synced_at > p.status_since + interval '2 minutes'
  and not coalesce(o.state = 'captured' and p.amount_refunded_cents < p.amount_received_cents, false)
  and not (p.amount_refunded_cents >= p.amount_received_cents and coalesce(o.state <> 'captured', true))
  -- The buyer's bank took it back (decision C-25).
  and not (p.disputed and coalesce(o.state = 'void', false))
  and not exists (select 1 from refunds r where r.order_id = o.id and r.state <> 'failed'
                  and (r.ended_at is null or r.ended_at > p.synced_at))
  and not exists (select 1 from anomalies a where a.resolved_at is null
                  and (a.payment_intent_id = p.payment_intent_id or a.order_id = o.id))

union all
select 'P2 a captured order''s payment was taken as agreed', o.id::text
from orders o
  left join payments m on m.payment_intent_id = o.payment_intent_id
  left join provider_pi p on p.payment_intent_id = o.payment_intent_id
where o.state = 'captured'
  and not exists (select 1 from anomalies a where a.resolved_at is null
                  and (a.payment_intent_id = o.payment_intent_id or a.order_id = o.id))
  and (
    (m.status, m.currency, m.amount_received_cents, m.account_id, m.application_fee_cents)
      is distinct from ('succeeded', 'aud', o.total_cents, o.account_id, o.application_fee_cents)
    or (p.synced_at > o.captured_at
        and (p.status, p.currency, p.amount_received_cents, p.account_id, p.application_fee_cents)
          is distinct from ('succeeded', 'aud', o.total_cents, o.account_id, o.application_fee_cents))
  )

union all
select 'P3 nothing stays authorised and undecided', p.payment_intent_id
from provider_pi p
where p.status = 'requires_capture' and p.synced_at > p.status_since + interval '10 minutes'
  and not exists (select 1 from anomalies a where a.resolved_at is null
                  and (a.payment_intent_id = p.payment_intent_id or a.order_id = p.order_id))

union all
select 'P4 what went back is what was to go back', p.payment_intent_id
from provider_pi p join orders o on o.payment_intent_id = p.payment_intent_id
  cross join lateral (
    select coalesce(sum(amount_cents) filter (where kind = 'refund' and state = 'done'), 0) as amount,
      coalesce(sum(amount_cents) filter (where kind = 'fee_refund' and state = 'done'), 0) as fee,
      coalesce(bool_or(state = 'pending' or ended_at > p.synced_at), false) as moving
    from payment_ops where order_id = o.id and kind in ('refund', 'fee_refund')
  ) b
where not b.moving and (b.amount <> p.amount_refunded_cents or b.fee <> p.application_fee_refunded_cents)
  and not exists (select 1 from anomalies a where a.resolved_at is null
                  and (a.payment_intent_id = p.payment_intent_id or a.order_id = o.id))

union all
-- Fees given back may come out of another order's payment, so a draw's fees are compared as a whole (decision D-3).
select 'P5 the fees held of a draw are what its ledger says', d.id::text
from draws d left join lateral (
  select sum(application_fee_cents - fee_refunded_cents) as fees from order_lines l where l.draw_id = d.id
) h on true
where d.fee_cents + d.fee_to_return_cents <> coalesce(h.fees, 0)

union all
select 'P5 an order gave back what its lines gave', o.id::text
from orders o join order_lines l on l.order_id = o.id
group by o.id
having sum(l.fee_refunded_cents) <> o.fee_refunded_cents

union all
select 'P6 an order is paid once', p.order_id::text
from provider_pi p
where p.status = 'succeeded' and p.amount_refunded_cents < p.amount_received_cents and p.order_id is not null
  and not exists (select 1 from anomalies a where a.resolved_at is null and a.order_id = p.order_id)
group by p.order_id
having count(*) > 1

-- Messages

union all
select 'E1 a captured order has its ticket mail', o.id::text
from orders o
where o.state = 'captured' and not exists (select 1 from email_outbox e where e.dedupe_key = 'tickets-' || o.id)

union all
select 'E2 no ticket mail without a captured order', e.id::text
from email_outbox e left join orders o on o.id = e.order_id
where e.kind = 'tickets' and o.captured_at is null

union all
select 'E3 the outbox is drained', e.id::text
from email_outbox e
where e.state = 'pending' and e.to_address is not null and e.queued_at < now() - interval '10 minutes'

union all
select 'W1 notices are handled', w.event_id
from webhook_events w
where w.handled_at is null and w.received_at < now() - interval '5 minutes'

union all
select 'O1 operations are carried out', p.id::text
from payment_ops p
where p.state = 'pending' and p.created_at < now() - interval '15 minutes';
