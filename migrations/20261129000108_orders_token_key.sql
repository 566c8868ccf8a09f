-- `orders_clear_token` has taken its place.
alter table orders drop constraint orders_token_key;
