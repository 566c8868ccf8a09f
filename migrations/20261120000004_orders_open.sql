-- An order whose money is taken but whose tickets were taken back waits for its refund: it is not done yet, and whoever
-- looks for unfinished orders must see it.
create index orders_unfinished on orders (opened_at)
  where state in ('quoted', 'allocated', 'rejecting') or (state = 'captured' and lines_allocated < lines);
drop index orders_open;
