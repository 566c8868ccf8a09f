-- no-transaction
-- What the buyer's bank said about a payment, for the order's page in the console. The list of kinds is that of the query.
create index concurrently webhook_events_bank_notices on webhook_events (payment_intent_id)
  where kind in ('charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.closed',
    'charge.dispute.funds_withdrawn', 'charge.dispute.funds_reinstated', 'radar.early_fraud_warning.created');
