-- Buyers' details end some months after their game (decision F-8). What stays: that an order was, its tickets and its money.

-- When its buyer was erased, and by what the address is known again in a dispute: a keyed hash, whose key is not in this
-- database. Without the key nobody tries addresses out.
alter table orders
    add column erased_at timestamptz,
    add column buyer_email_hash bytea check (octet_length(buyer_email_hash) = 32),
    add constraint orders_erased_hold_nobody check (
        erased_at is null or (buyer_email is null or buyer_email = 'erased@invalid') and buyer_phone is null and consent_ip is null
    );

-- When the last buyer of a draw was erased. Draws wait by their kick-off; what sales write is in no such index.
alter table draws add column erased_at timestamptz;
create index draws_unerased on draws (kick_off) where erased_at is null;

-- Details that came before are emptied, paid or not; by the bank's login, which knows no draws.
alter table winner_claims add column erased_at timestamptz;

-- What the provider told of a payment names its payer. One index for both who ask: this, and who looks for declined attempts.
create index webhook_events_payment on webhook_events (payment_intent_id) where payment_intent_id is not null;
drop index webhook_events_failed;

-- A link to one's tickets is over after a day, and so is its mail from now on; here are those of before.
update email_outbox set to_address = 'erased@invalid', data = '{}', why = null
    where kind = 'my-tickets' and queued_at < now() - interval '2 days';
