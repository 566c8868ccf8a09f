-- Secrets that open something are stored as keyed hashes, with a sealed copy where a mail must be written again (decision M-5).
-- The program converts older rows: after `migrate`, and once a minute (persistence/src/postgres/link_conversion.rs).
-- The indexes follow in files of their own; the constraints are checked for the rows there are in the last of them.
alter table orders
    add column token_hash bytea,
    add column token_sealed bytea,
    add column client_secret_sealed bytea,
    -- In clear text only while a node of an earlier version is alive.
    alter column token drop not null,
    add constraint orders_token_hash_length check (octet_length(token_hash) = 32) not valid,
    add constraint orders_have_a_token check (token is not null or token_hash is not null and token_sealed is not null) not valid;

-- 33 bytes: a format byte, then the HMAC. 32 bytes: the plain SHA-256 of an earlier version.
alter table sessions drop constraint sessions_token_hash_check,
    add constraint sessions_token_hash_check check (octet_length(token_hash) in (32, 33)) not valid;
alter table ticket_links drop constraint ticket_links_token_hash_check,
    add constraint ticket_links_token_hash_check check (octet_length(token_hash) in (32, 33)) not valid;
alter table winner_claims drop constraint winner_claims_token_hash_check,
    add constraint winner_claims_token_hash_check check (octet_length(token_hash) in (32, 33)) not valid;
alter table club_users drop constraint club_users_token_hash_check,
    add constraint club_users_token_hash_check check (octet_length(token_hash) in (32, 33)) not valid;

-- A node of an earlier version reads clear tokens and plain hashes, and writes no keyed audit entry.
alter table nodes add column keeps_link_secrets boolean not null default false;
