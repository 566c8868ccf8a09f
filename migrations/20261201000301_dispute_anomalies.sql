-- A dispute is an anomaly of its own kind. Before, it was a wrong amount with one of the two notes below.
alter table anomalies drop constraint anomalies_kind_check, add constraint anomalies_kind_check check (kind in
  ('missing_ticket', 'duplicate_payment', 'failed_allocation', 'mismatched_amount', 'orphaned_ticket', 'dispute'));
update anomalies set kind = 'dispute' where kind = 'mismatched_amount' and note in (
  'the buyer''s bank disputes the payment', 'the club lost the dispute: the buyer''s bank keeps the payment');
