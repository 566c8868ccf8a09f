-- A buyer's consent names the very text that was agreed to, as a club's does (decision B-15). Older ones name its version only.
alter table orders add column consent_terms_sha256 text;
