-- no-transaction
-- Empty after the conversion, as the next one is, so that a purchase writes one index entry for its token, as before.
create unique index concurrently orders_clear_token on orders (token) where token is not null;
