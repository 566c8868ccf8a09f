-- A refund that the buyer has not got is an anomaly of its own kind. Before, it was a missing ticket of an
-- order whose tickets were returned.
alter table anomalies drop constraint anomalies_kind_check, add constraint anomalies_kind_check check (kind in
  ('missing_ticket', 'duplicate_payment', 'failed_allocation', 'mismatched_amount', 'orphaned_ticket', 'dispute', 'owed_refund'));
update anomalies a set kind = 'owed_refund' from orders o
where a.kind = 'missing_ticket' and a.resolved_at is null and o.id = a.order_id and o.state = 'void'
  and o.payment_intent_id = a.payment_intent_id;
