-- The operator's second factor, and an audit log that cannot be rewritten unnoticed.

alter table admins
    -- Sealed with the key outside the database; null until enrolment begins.
    add column totp_secret_sealed bytea,
    add column totp_enrolled_at timestamptz,
    -- The newest 30-second step whose code was used: each code serves once.
    add column totp_last_step bigint not null default 0;

-- When the second factor was last shown. An operator's session without it is half a session: it can only show the factor.
alter table sessions add column proven_at timestamptz;

-- Each entry carries the hash of its own words and of the entry before it. A changed, removed or slipped-in entry breaks the
-- chain from there on.
alter table audit_log
    add column ip inet,
    add column previous_hash bytea,
    add column hash bytea;
create index audit_log_object on audit_log (object, id);

-- Numbers are given by the chain, without gaps.
alter table audit_log alter column id drop identity;

create function audit_hash(previous_hash bytea, entry audit_log) returns bytea
  language sql immutable return sha256(convert_to(
    jsonb_build_array(
      encode(previous_hash, 'hex'), entry.id, (extract(epoch from entry.at) * 1000000)::bigint, entry.actor, entry.club_id,
      entry.action, entry.object, entry.detail, host(entry.ip)
    )::text, 'UTF8'));

-- Entries queue for the chain, and take their number only when it is their turn: order of numbers is order of the chain.
create function audit_chained() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('audit_log'));
  new.id := coalesce((select max(id) from audit_log), 0) + 1;
  new.previous_hash := coalesce((select hash from audit_log order by id desc limit 1), sha256('football-doubles-audit'));
  new.hash := audit_hash(new.previous_hash, new);
  return new;
end $$;

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;

-- What was written before the chain began joins it as it stands.
do $$
declare
  entry audit_log;
  previous bytea := sha256('football-doubles-audit');
begin
  for entry in select * from audit_log order by id loop
    update audit_log set previous_hash = previous, hash = audit_hash(previous, entry) where id = entry.id
      returning hash into previous;
  end loop;
end $$;

alter table audit_log alter column previous_hash set not null, alter column hash set not null;
create trigger audit_chained before insert on audit_log for each row execute function audit_chained();
create trigger audit_append_only before update or delete on audit_log for each row execute function audit_is_append_only();
create trigger audit_not_emptied before truncate on audit_log for each statement execute function audit_is_append_only();

-- The entries that do not follow from the one before them. None: nobody has rewritten the log.
create view audit_breaks as
  select id from (
    select e.id, e.previous_hash, e.hash,
      lag(e.hash, 1, sha256('football-doubles-audit')) over (order by e.id) as before,
      audit_hash(e.previous_hash, e) as computed
    from audit_log e
  ) chain
  where previous_hash <> before or hash <> computed;

-- Who resolved an anomaly by hand; null when it healed by itself.
alter table anomalies add column resolved_by text;
create index anomalies_newest on anomalies (detected_at desc, id);

alter table clubs add column archived_at timestamptz;
