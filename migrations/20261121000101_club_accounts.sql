-- What a club proves, agrees to and uploads, and what a winner tells it.

-- An address is confirmed by a link that only its reader has; the token's hash alone is stored (decisions G-6, G-18).
alter table clubs add column email_verified_at timestamptz;
alter table clubs add column email_verification_token text;
alter table clubs add column email_verification_expires timestamptz;
create unique index clubs_reset_token on clubs (password_reset_token);
create unique index clubs_verification_token on clubs (email_verification_token);
create unique index admins_reset_token on admins (reset_token_hash);

-- The digest of the very text that was shown (decision B-15).
alter table terms_acceptances add column terms_digest text;
create index terms_acceptances_unused on terms_acceptances (club_id, accepted_at) where draw_id is null;

-- The winner of a draw's present result: the one-time link that was mailed, and where the prize is to be sent. Sealed with a
-- key that is not in this database; emptied when it has served (decisions B-4, F-7). Dies with the result (decision E-6).
create table winner_claims (
    draw_id bigint primary key references draws,
    serial smallint not null check (serial between 1 and 169),
    -- SHA-256 of the link's token; null until a link was mailed.
    token_hash bytea unique check (octet_length(token_hash) = 32),
    respond_by timestamptz,
    bank_sealed bytea,
    bank_from text check (bank_from in ('winner', 'club')),
    received_at timestamptz,
    paid_at timestamptz,
    purged_at timestamptz,
    created_at timestamptz not null default now(),
    constraint winner_claims_details_whole check ((bank_from is null) = (received_at is null)),
    constraint winner_claims_purged_hold_nothing check (purged_at is null or bank_sealed is null)
);

-- Pictures that clubs upload: logos and share images, made anew by us before they are stored (decisions B-12, G-8, G-9).
create table uploads (
    -- Ours: no part of it is the client's.
    key text primary key check (key ~ '^[0-9a-z-]+\.(png|jpg)$'),
    club_id bigint not null references clubs on delete cascade,
    purpose text not null check (purpose in ('logo', 'bundle-image')),
    bytes bytea not null check (octet_length(bytes) <= 8000000),
    created_at timestamptz not null default now()
);
create index uploads_club on uploads (club_id);
