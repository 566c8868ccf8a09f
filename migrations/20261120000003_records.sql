-- What no actor owns: who may sign in, pages' furniture, settings, offers, payouts, and who did what.

-- Bumped in the same transaction as every change of what lists show (clubs, a draw's fixed facts, footers), so that each
-- process sees by one small read that its prepared answers are old.
create table catalogue (only_row boolean primary key default true check (only_row), revision bigint not null);
insert into catalogue (revision) values (1);

create table admins (
    id bigint generated always as identity primary key,
    email text not null,
    password text not null,
    name text not null,
    role text not null default 'super_admin',
    reset_token_hash bytea,
    reset_expires_at timestamptz,
    created_at timestamptz not null default now()
);
create unique index admins_email on admins (lower(email));

-- Listed by the specification, without a use (decision B-3).
create table users (
    id bigint generated always as identity primary key,
    username text not null unique,
    password text not null
);

-- A signed-in browser. Only the hash of its cookie is stored (decision G-5).
create table sessions (
    token_hash bytea primary key check (length(token_hash) = 32),
    club_id bigint references clubs on delete cascade,
    admin_id bigint references admins on delete cascade,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    idle_seconds integer not null check (idle_seconds > 0),
    ends_at timestamptz not null,
    check ((club_id is null) <> (admin_id is null))
);
create index sessions_club on sessions (club_id);
create index sessions_admin on sessions (admin_id);

-- A slug a club once had stays its own for ever (decision A-16).
create table club_slug_aliases (
    id bigint generated always as identity primary key,
    club_id bigint not null references clubs on delete cascade,
    slug text not null,
    created_at timestamptz not null default now()
);
create unique index club_slug_aliases_slug on club_slug_aliases (lower(slug));

create table system_settings (
    id bigint generated always as identity primary key,
    key text not null unique,
    value text not null,
    description text,
    updated_at timestamptz not null default now(),
    updated_by text
);

create table waitlist (
    id bigint generated always as identity primary key,
    club_name text not null,
    contact_name text not null,
    contact_email text not null,
    contact_phone text not null,
    created_at timestamptz not null default now()
);

create table footer_menus (
    id bigint generated always as identity primary key,
    heading text not null,
    display_order integer not null default 0,
    is_visible boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create table footer_menu_items (
    id bigint generated always as identity primary key,
    menu_id bigint not null references footer_menus on delete cascade,
    label text not null,
    url text not null,
    display_order integer not null default 0,
    is_visible boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create index footer_menu_items_menu on footer_menu_items (menu_id);

-- Offers; the specification's word in tables and routes is `bundles`.
create table bundles (
    id bigint generated always as identity primary key,
    club_id bigint not null references clubs on delete cascade,
    name text not null,
    slug text not null,
    status text not null default 'draft' check (status in ('draft', 'active', 'locked', 'closed', 'archived')),
    type text not null default 'BUNDLE' check (type in ('BUNDLE', 'SPECIAL')),
    display_tag text check (length(display_tag) <= 200),
    primary_copy text,
    share_image_url text,
    auto_image_seed text,
    start_at timestamptz,
    end_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create unique index bundles_slug on bundles (club_id, lower(slug));

create table bundle_games (
    id bigint generated always as identity primary key,
    bundle_id bigint not null references bundles on delete cascade,
    game_id bigint not null references draws,
    unique (bundle_id, game_id)
);

create table bundle_sales (
    id bigint generated always as identity primary key,
    bundle_id bigint not null references bundles,
    order_id uuid not null references orders,
    quantity integer not null check (quantity > 0),
    created_at timestamptz not null default now(),
    unique (bundle_id, order_id)
);

-- It records; it moves no money (decision B-4, D-17).
create table payouts (
    id bigint generated always as identity primary key,
    draw_id bigint not null references draws,
    club_id bigint not null references clubs,
    type text not null check (type in ('club_share', 'winner')),
    amount_cents bigint not null check (amount_cents >= 0),
    status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
    stripe_payout_id text,
    stripe_account_id text,
    recipient_email text,
    recipient_name text,
    note text,
    failure_reason text,
    created_at timestamptz not null default now(),
    completed_at timestamptz,
    check ((status = 'completed') = (completed_at is not null))
);
-- One payout of a kind for a draw, unless it failed.
create unique index payouts_one_alive on payouts (draw_id, type) where status <> 'failed';

create table terms_acceptances (
    id bigint generated always as identity primary key,
    club_id bigint not null references clubs on delete cascade,
    draw_id bigint references draws,
    accepted_at timestamptz not null default now(),
    ip_address text,
    user_agent text,
    terms_version text not null default '1.0'
);

-- Every write of an operator or a club, with the identity of its session (integrity rule A1).
create table audit_log (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    actor text not null,
    club_id bigint,
    action text not null,
    object text not null,
    detail jsonb not null default '{}'
);
create index audit_log_at on audit_log (at);
