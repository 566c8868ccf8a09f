-- Links by which a buyer who lost the confirmations sees every order of an address. Only the token's hash is stored; a link
-- dies after a day, and this table then holds nothing of anybody.
create table ticket_links (
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    -- In small letters, as orders are looked up by it.
    email text not null check (email = lower(email)),
    expires_at timestamptz not null
);
create index ticket_links_expiry on ticket_links (expires_at);

create index orders_buyer on orders (lower(buyer_email)) where buyer_email is not null;
