-- What the provider says of a refund that it accepted. All null before that.
alter table refunds
  add column provider_refund_id text,
  add column provider_status text
    check (provider_status in ('pending', 'requires_action', 'succeeded', 'failed', 'canceled')),
  -- Why it is pending or failed, in the provider's words.
  add column provider_reason text,
  add constraint refunds_provider_status_with_id check ((provider_refund_id is null) = (provider_status is null));
create index refunds_pending on refunds (id) where state = 'pending';

-- A refund that the club's balance does not cover is retried for a month. Its operation says why it waits.
do $$
begin
  execute 'create or replace view invariant_violations as select v.invariant, v.object from ('
    || rtrim(pg_get_viewdef('invariant_violations'::regclass), '; ')
    || ') v where not (v.invariant = ''O1 operations are carried out'' and exists (
         select from payment_ops w where w.id::text = v.object and w.kind = ''refund'' and w.why is not null
           and w.created_at > transaction_instant() - interval ''40 days''))';
end $$;
