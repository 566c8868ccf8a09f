-- no-transaction
-- The provider's events repeat a payment intent's client secret, which is not kept.
create index concurrently webhook_events_with_secret on webhook_events (event_id) where payload like '%client_secret%';
