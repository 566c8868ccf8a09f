-- Bank details that one person entered in place of the winner's own, until a second person enters the same. Sealed like the
-- details themselves; at most one for a draw.
create table bank_proposals (
    draw_id bigint primary key references public.winner_claims on delete cascade,
    sealed bytea not null,
    -- As the audit log names the person.
    proposed_by text not null,
    proposed_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > proposed_at)
);
