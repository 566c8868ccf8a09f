-- Which offers an unpaid order was put together from. It becomes a sale when, and only when, its money is taken: whichever door
-- that comes through, in the same transaction.
create table order_offers (
    order_id uuid not null references orders on delete cascade,
    bundle_id bigint not null references bundles on delete cascade,
    quantity integer not null check (quantity > 0),
    primary key (order_id, bundle_id)
);

create function count_offer_sales() returns trigger language plpgsql as $$
begin
    insert into bundle_sales (bundle_id, order_id, quantity)
        select bundle_id, order_id, quantity from order_offers where order_id = new.id
        on conflict (bundle_id, order_id) do nothing;
    -- The first sale locks an offer: it stays on sale, and is no longer changed (decision H-4).
    update bundles set status = 'locked', updated_at = new.captured_at
        where status = 'active' and id in (select bundle_id from order_offers where order_id = new.id);
    return null;
end $$;

create trigger orders_count_offer_sales after update of state on orders
    for each row when (old.state is distinct from 'captured' and new.state = 'captured')
    execute function count_offer_sales();
