-- How a payment was made, as the provider's charge says: `card`, or the wallet it came from. Null while nobody has said.
alter table payments add column payment_method text;
alter table provider_pi add column payment_method text;
-- Declined attempts are known by the notices that told of them.
create index webhook_events_failed on webhook_events (payment_intent_id) where kind = 'payment_intent.payment_failed';
