-- An index whose condition names a column is written anew whenever that column changes, and with it every other index of the
-- row. `state` changes with every step of an order; `captured_at` but once.
drop index orders_nameless;
create index orders_nameless on orders (captured_at) where captured_at is not null and buyer_email is null;

-- The statement that captures many orders at once counts their offers' sales as well, once for all of them: no other captures.
drop trigger orders_count_offer_sales on orders;
drop function count_offer_sales();
