-- When the winner gave bank details by the mailed link. From then on the club alone does not replace them: two people have to
-- agree (`bank.bank_proposals`).
alter table winner_claims add column winner_answered_at timestamptz;
update winner_claims set winner_answered_at = received_at where bank_from = 'winner';
