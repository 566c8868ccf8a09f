-- The people behind a club's login (decision G-17). That login stays what it was, an owner whom nobody removes; these sign in
-- with an address and a password of their own, and are the club on the wire.
create table club_users (
    id bigint generated always as identity primary key,
    club_id bigint not null references clubs on delete cascade,
    email text not null,
    name text not null,
    role text not null check (role in ('owner', 'seller', 'viewer')),
    -- An Argon2id hash; null until the invited person has chosen one.
    password text,
    -- Of the mailed invitation, or of a forgotten password: the hash, never the token.
    token_hash bytea unique check (octet_length(token_hash) = 32),
    token_expires_at timestamptz,
    invited_at timestamptz not null,
    joined_at timestamptz,
    seen_at timestamptz,
    -- The row stays, because the audit log names it; what opens a door goes.
    removed_at timestamptz,
    constraint club_users_token_whole check ((token_hash is null) = (token_expires_at is null)),
    constraint club_users_joined_by_password check (password is null or joined_at is not null),
    constraint club_users_removed_open_nothing check (removed_at is null or (password is null and token_hash is null))
);
create unique index club_users_email on club_users (lower(email)) where removed_at is null;
create index club_users_club on club_users (club_id);

-- Which of its people a club's session belongs to; null: the club's own login.
alter table sessions add column club_user_id bigint references club_users on delete cascade;
alter table sessions add constraint sessions_member_of_a_club check (club_user_id is null or club_id is not null);
create index sessions_club_user on sessions (club_user_id);

-- One door serves operators, clubs and their people (decision B-3): an address opens it for one of them. No index spans tables.
create function one_login_per_address() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('login'), hashtext(lower(new.email)));
  if (tg_table_name <> 'clubs' and exists (select from clubs where lower(email) = lower(new.email)))
    or (tg_table_name <> 'admins' and exists (select from admins where lower(email) = lower(new.email)))
    or (tg_table_name <> 'club_users' and exists (
      select from club_users where lower(email) = lower(new.email) and removed_at is null))
  then
    raise unique_violation using message = 'this address signs in already';
  end if;
  return new;
end $$;
create trigger clubs_one_login before insert or update of email on clubs
  for each row execute function one_login_per_address();
create trigger admins_one_login before insert or update of email on admins
  for each row execute function one_login_per_address();
create trigger club_users_one_login before insert or update of email on club_users
  for each row execute function one_login_per_address();
