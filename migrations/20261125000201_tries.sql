-- How often something that is limited was tried in its window, on all nodes together: wrong passwords and codes, links by
-- mail. What it was is a keyed hash, so that the table tells nobody who signs in or asks. A crash may empty it: unlogged.
create unlogged table tries (
    about bytea primary key check (octet_length(about) = 32),
    count integer not null check (count >= 0),
    until timestamptz not null
);
create index tries_until on tries (until);
