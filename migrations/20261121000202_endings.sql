-- Winners' mails are looked for when a result is taken back, and tickets of a game that was called off until all are refunded.
create index email_outbox_winner on email_outbox (id) where kind = 'winner';
create index draws_called_off on draws (id) where status = 'cancelled' and sold > 0;
