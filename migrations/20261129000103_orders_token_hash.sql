-- no-transaction
create unique index concurrently orders_token_hash on orders (token_hash);
