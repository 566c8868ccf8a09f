-- Who is there: one row for each start of a process, with a lease by this database's clock. A draw's owner may write while its
-- epoch is the newest; the lease only says from when on somebody else may take the draw (decision 0010).
create table nodes (
  -- One start, not one machine: a process that comes back is another node.
  boot_id uuid primary key,
  -- Where other nodes ask it, as host:port; empty when it has no neighbours.
  address text not null,
  lease_until timestamptz not null,
  started_at timestamptz not null default clock_timestamp()
);

-- No foreign key: a node whose row is gone owns nothing, and its draws are free.
alter table draws add column owner_boot uuid;
