update orders o set
  payment_intent_id = coalesce(a.intent, o.payment_intent_id),
  client_secret = coalesce(o.client_secret, a.secret),
  client_secret_sealed = coalesce(o.client_secret_sealed, a.sealed),
  state = case when a.captured is null then o.state else 'captured' end,
  captured_at = coalesce(a.captured, o.captured_at)
from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bytea[])
  as a (order_id, intent, secret, captured, sealed)
where o.id = a.order_id and case
  when a.captured is not null then o.state = 'allocated'
  else o.payment_intent_id = a.intent or o.payment_intent_id is null and o.state in ('quoted', 'allocated') end
returning o.id
