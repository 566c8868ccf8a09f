-- The orders whose buyers asked for a mail before kick-off and a mail with the result. To stop the mails, the buyer
-- deletes the row.
create table order_reminders (
  order_id uuid primary key references orders,
  asked_at timestamptz not null
);
