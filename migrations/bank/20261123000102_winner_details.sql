-- Where prizes are sent (decision F-7). Applied by the bank's own login, in a schema that is its own: the login that serves
-- pages has no right to any of it, and neither has its dump. The words are sealed besides (decision B-4).
create table winner_details (
    -- Dies with the claim: when the result is taken back, or the draw goes.
    draw_id bigint primary key references public.winner_claims on delete cascade,
    sealed bytea not null,
    kept_at timestamptz not null default now()
);

-- What was kept beside the claim before moves here, and leaves nothing there.
insert into winner_details (draw_id, sealed)
    select draw_id, bank_sealed from public.winner_claims where bank_sealed is not null;
update public.winner_claims set bank_sealed = null where bank_sealed is not null;
