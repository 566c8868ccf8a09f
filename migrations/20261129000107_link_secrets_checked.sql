-- Validation reads the rows while others read and write them.
alter table orders validate constraint orders_token_hash_length, validate constraint orders_have_a_token;
alter table sessions validate constraint sessions_token_hash_check;
alter table ticket_links validate constraint ticket_links_token_hash_check;
alter table winner_claims validate constraint winner_claims_token_hash_check;
alter table club_users validate constraint club_users_token_hash_check;
