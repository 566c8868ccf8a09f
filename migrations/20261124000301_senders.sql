-- Which start of a process sends a mail, and which one took a notice in. While that process lives nobody else does it; when it is
-- known to be gone, another does it at once instead of waiting for the end of a lease.
alter table email_outbox add column sender_boot uuid;
alter table webhook_events add column taker_boot uuid;
