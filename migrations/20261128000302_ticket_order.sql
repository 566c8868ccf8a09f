-- The proof shows the order in which tickets left (decision M-3). A draw that got tickets back under the rule before may have sold
-- them first, so its order cannot be checked against the rule of today.
alter table draws add column resold_lowest_first boolean not null default false;
update draws set resold_lowest_first = true where returned_serials <> '{}';
