-- One sealed constant: a server whose sealing key does not open it refuses to start.
create table seal_canary (
    id boolean primary key default true,
    sealed bytea not null,
    constraint seal_canary_is_one_row check (id)
);
