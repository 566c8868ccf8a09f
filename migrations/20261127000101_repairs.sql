-- What a person does about a payment that no order holds: it gets its tickets, or its money goes back. Never both, on whichever
-- nodes they are asked for; one that did not say how it ended keeps the other kind waiting until then.
create table repairs (
    payment_intent_id text primary key,
    repair text not null check (repair in ('tickets', 'return')),
    until timestamptz not null
);
