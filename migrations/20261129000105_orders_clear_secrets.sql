-- no-transaction
create index concurrently orders_clear_secrets on orders (id) where token is not null or client_secret is not null;
