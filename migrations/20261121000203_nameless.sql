-- Paid tickets whose buyer left no address (decision C-11).
create index orders_nameless on orders (captured_at) where state = 'captured' and buyer_email is null;
