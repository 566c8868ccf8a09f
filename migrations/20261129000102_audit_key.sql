-- The owner of this table can recompute the plain hashes. The keyed hash needs the sealing key, which is not in the database.
-- Null: written before the chain was keyed.
alter table audit_log add column keyed_hash bytea check (octet_length(keyed_hash) = 32);

-- The program fills it in right after the insert, in the same transaction: the plain hash is known only then.
create or replace function audit_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.keyed_hash is null and new.keyed_hash is not null
        and to_jsonb(new) - 'keyed_hash' = to_jsonb(old) - 'keyed_hash' then
      return new;
    end if;
  end if;
  raise exception 'the audit log is append-only';
end $$;
