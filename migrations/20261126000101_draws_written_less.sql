-- A sale changes `sold`. An index whose condition names it made every sale write the draw's row into all of its indexes anew.
drop index draws_called_off;
create index draws_called_off on draws (id) where status = 'cancelled';
