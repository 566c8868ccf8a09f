-- Bank details are kept in a schema of their own (migrations/bank, decision F-7). What stands here still, the bank's login moves
-- there as soon as it is told of; nothing new comes here. The column goes with a later release.
alter table winner_claims add constraint winner_claims_details_elsewhere check (bank_sealed is null) not valid;
