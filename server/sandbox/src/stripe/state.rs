//! The sandbox's objects. All changes are written to the journal here.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::account::{Account, AccountLink};
use super::balance_transaction::BalanceTransaction;
use super::charge::Charge;
use super::confirmation_token::ConfirmationToken;
use super::dispute::Dispute;
use super::early_fraud_warning::EarlyFraudWarning;
use super::event::{DeliveryStatus, WebhookEvent};
use super::failure::StripeError;
use super::fee::{ApplicationFee, FeeRefund};
use super::idempotency::{SavedBody, SavedResponse, SavedResponses};
use super::intent::Intent;
use super::journal_record::{Record, RecordRef};
use super::payment_method::PaymentMethod;
use super::payment_method_domain::PaymentMethodDomain;
use super::payout::Payout;
use super::refund::Refund;
use super::schema::ApiSchema;
use super::snapshot::Snapshot;
use super::table::{ObjectTable, StripeObject};
use super::webhook_endpoint::WebhookEndpoint;
use crate::clock::SandboxClock;
use crate::journal::Journal;

/// Maximum number of stored events. Beyond it, the oldest event that is not to be delivered any more
/// is dropped.
const STORED_EVENTS_MAX: usize = 5_000;
/// At startup the journal is compacted if it has more than this many times the records that a
/// compacted journal would have.
const JOURNAL_COMPACTION_RATIO: usize = 2;

/// All objects of the sandbox, and the records that are not yet written to the journal.
#[derive(Debug, Default)]
pub struct SandboxState {
    pub accounts: ObjectTable<Account>,
    pub links: HashMap<String, AccountLink>,
    pub intents: ObjectTable<Intent>,
    pub methods: ObjectTable<PaymentMethod>,
    pub confirmation_tokens: ObjectTable<ConfirmationToken>,
    pub domains: ObjectTable<PaymentMethodDomain>,
    pub charges: ObjectTable<Charge>,
    pub transactions: ObjectTable<BalanceTransaction>,
    pub fees: ObjectTable<ApplicationFee>,
    pub fee_refunds: ObjectTable<FeeRefund>,
    pub refunds: ObjectTable<Refund>,
    pub disputes: ObjectTable<Dispute>,
    pub fraud_warnings: ObjectTable<EarlyFraudWarning>,
    pub payouts: ObjectTable<Payout>,
    pub webhook_endpoints: ObjectTable<WebhookEndpoint>,
    pub events: ObjectTable<WebhookEvent>,
    pub saved_responses: SavedResponses,
    /// Ids of events that the webhook sender has not taken yet.
    pub unsent: Vec<String>,
    /// Id and idempotency key of the API request in progress. The events of the request carry them.
    pub request: (String, Option<String>),
    /// How the events of the API request in progress differ from Stripe's own types. Empty in
    /// release builds.
    pub event_differences: Vec<String>,
    /// Seconds after a capture until the charge names its balance transaction.
    pub balance_transaction_delay: i64,
    /// Charges whose balance transaction is not shown yet, with the time from which it is, oldest
    /// first.
    delayed_transactions: VecDeque<(i64, String)>,
    clock: Arc<SandboxClock>,
    batch: Vec<u8>,
    journal: Option<Journal>,
}

impl SandboxState {
    /// Reads the journal in `dir`, and compacts the journal if most records are superseded.
    pub fn open(dir: Option<&Path>, clock: Arc<SandboxClock>) -> io::Result<Self> {
        let mut state = Self {
            clock,
            ..Self::default()
        };
        let Some(dir) = dir else { return Ok(state) };
        let (mut unreadable, mut records_read) = (None, 0);
        let mut journal = Journal::open(dir, "provider", |line| {
            match serde_json::from_str::<Vec<Record>>(line) {
                Ok(records) => {
                    records_read += records.len();
                    for record in records {
                        state.restore_record(record);
                    }
                }
                Err(error) => unreadable = Some(error),
            }
        })?;
        if let Some(error) = unreadable {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the sandbox journal: {error}"),
            ));
        }
        if records_read > JOURNAL_COMPACTION_RATIO * state.record_count() {
            journal.rewrite(|out| state.write_all_records(out))?;
        }
        state.journal = Some(journal);
        state.delayed_transactions = state
            .charges
            .rows()
            .filter_map(|charge| {
                Some((charge.delayed_transaction.as_ref()?.due, charge.id.clone()))
            })
            .collect();
        state.unsent = state
            .events
            .rows()
            .filter(|e| e.delivery == DeliveryStatus::Pending)
            .map(|e| e.id.clone())
            .collect();
        Ok(state)
    }

    /// Returns the time of the sandbox's clock, in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock.unix_seconds()
    }

    /// Returns the number of records that the journal would hold after compaction.
    fn record_count(&self) -> usize {
        let objects =
            self.accounts.len() + self.intents.len() + self.methods.len() + self.charges.len();
        let web_objects = self.confirmation_tokens.len() + self.domains.len();
        let money =
            self.transactions.len() + self.fees.len() + self.fee_refunds.len() + self.refunds.len();
        objects
            + web_objects
            + money
            + self.disputes.len()
            + self.fraud_warnings.len()
            + self.payouts.len()
            + self.webhook_endpoints.len()
            + self.links.len()
            + self.events.len()
            + self.saved_responses.responses().count()
    }

    fn restore_record(&mut self, record: Record) {
        match record {
            Record::Account(row) => self.accounts.put(row),
            Record::AccountLink(link) => drop(self.links.insert(link.token.clone(), link)),
            Record::Intent(row) => self.intents.put(row),
            Record::Method(row) => self.methods.put(row),
            Record::ConfirmationToken(row) => self.confirmation_tokens.put(row),
            Record::PaymentMethodDomain(row) => self.domains.put(row),
            Record::Charge(row) => self.charges.put(row),
            Record::Transaction(row) => self.transactions.put(row),
            Record::Fee(row) => self.fees.put(row),
            Record::FeeRefund(row) => self.fee_refunds.put(row),
            Record::Refund(row) => self.refunds.put(row),
            Record::Dispute(row) => self.disputes.put(row),
            Record::EarlyFraudWarning(row) => self.fraud_warnings.put(row),
            Record::Payout(row) => self.payouts.put(row),
            Record::WebhookEndpoint(row) => self.webhook_endpoints.put(row),
            Record::Event(row) => self.insert_event(row),
            Record::Remembered(response) => self.insert_saved_response(response),
            Record::Delivered(id) => self.set_delivery_status(&id, DeliveryStatus::Delivered),
            Record::Lost(id) => self.set_delivery_status(&id, DeliveryStatus::Lost),
        }
    }

    fn write_all_records(&self, out: &mut dyn io::Write) -> io::Result<()> {
        fn write_rows<T: StripeObject>(
            out: &mut dyn io::Write,
            table: &ObjectTable<T>,
        ) -> io::Result<()> {
            table
                .rows()
                .try_for_each(|row| write_line(out, row.as_record()))
        }
        write_rows(out, &self.accounts)?;
        self.links
            .values()
            .try_for_each(|link| write_line(out, RecordRef::AccountLink(link)))?;
        write_rows(out, &self.intents)?;
        write_rows(out, &self.methods)?;
        write_rows(out, &self.confirmation_tokens)?;
        write_rows(out, &self.domains)?;
        write_rows(out, &self.charges)?;
        write_rows(out, &self.transactions)?;
        write_rows(out, &self.fees)?;
        write_rows(out, &self.fee_refunds)?;
        write_rows(out, &self.refunds)?;
        write_rows(out, &self.disputes)?;
        write_rows(out, &self.fraud_warnings)?;
        write_rows(out, &self.payouts)?;
        write_rows(out, &self.webhook_endpoints)?;
        write_rows(out, &self.events)?;
        let now = self.now();
        self.saved_responses
            .responses()
            .filter(|response| !response.is_forgotten(now))
            .try_for_each(|response| write_line(out, RecordRef::Remembered(response)))
    }

    /// Stores a changed object. The next commit writes it to the journal.
    pub fn save<T: StripeObject>(&mut self, row: T)
    where
        Self: HasTable<T>,
    {
        self.append_record(row.as_record());
        self.table_mut().put(row);
    }

    /// Lets a charge's balance transaction appear after a delay in seconds.
    pub fn delay_transaction(&mut self, charge: &str, due: i64) {
        self.delayed_transactions
            .push_back((due, charge.to_owned()));
    }

    /// Shows the balance transactions whose delay is over. Emits `charge.updated` for each, as
    /// Stripe does.
    pub fn show_due_transactions(&mut self) {
        let now = self.now();
        while self
            .delayed_transactions
            .front()
            .is_some_and(|(due, _)| *due <= now)
        {
            let Some((_, id)) = self.delayed_transactions.pop_front() else {
                return;
            };
            let Some(mut charge) = self.charges.get(&id).cloned() else {
                continue;
            };
            if let Some(delayed) = charge.delayed_transaction.take() {
                charge.balance_transaction = Some(delayed.id);
                let account = charge.account.clone();
                self.save(charge);
                self.emit_event("charge.updated", &account, &id);
            }
        }
    }

    /// Stores an account link. The next commit writes it to the journal.
    pub fn save_link(&mut self, link: AccountLink) {
        self.append_record(RecordRef::AccountLink(&link));
        self.links.insert(link.token.clone(), link);
    }

    /// Stores a response for its idempotency key. The next commit writes it to the journal.
    pub fn save_response(&mut self, response: SavedResponse) {
        self.append_record(RecordRef::Remembered(&response));
        self.insert_saved_response(response);
    }

    /// Records an event about an object that was just saved, and queues the event for delivery.
    pub fn emit_event(&mut self, kind: &'static str, account: &str, subject: &str) {
        let event = WebhookEvent::new(kind, account, subject, &self.request, self.now());
        self.unsent.push(event.id.clone());
        self.append_record(RecordRef::Event(&event));
        let id = event.id.clone();
        self.insert_event(event);
        if cfg!(debug_assertions)
            && let Some(event) = self.events.get(&id)
        {
            let found = ApiSchema::get().event_differences(&event.render());
            self.event_differences.extend(found);
        }
    }

    /// Inserts an event, and adds a snapshot of its object if it has none. While the journal is
    /// replayed, the current object is the one to copy, because the journal has the event after the
    /// object's change.
    fn insert_event(&mut self, mut event: WebhookEvent) {
        event.snapshot = event
            .snapshot
            .take()
            .or_else(|| Snapshot::take(self, &event.subject));
        self.events.put(event);
        while self.events.len() > STORED_EVENTS_MAX
            && self
                .events
                .drop_oldest_matching(|event| event.delivery != DeliveryStatus::Pending)
        {}
    }

    fn insert_saved_response(&mut self, mut response: SavedResponse) {
        if let SavedBody::Intent { id, snapshot, .. } = &mut response.body
            && snapshot.is_none()
        {
            *snapshot = self.intents.get(id).cloned().map(Box::new);
        }
        self.saved_responses.insert(response);
    }

    /// Records whether an event was delivered or lost. The next commit writes it to the journal.
    pub fn record_delivery_status(&mut self, id: &str, delivery: DeliveryStatus) {
        self.append_record(match delivery {
            DeliveryStatus::Lost => RecordRef::Lost(id),
            DeliveryStatus::Pending | DeliveryStatus::Delivered => RecordRef::Delivered(id),
        });
        self.set_delivery_status(id, delivery);
    }

    fn set_delivery_status(&mut self, id: &str, delivery: DeliveryStatus) {
        if let Some(event) = self.events.get_mut(id) {
            event.delivery = delivery;
        }
    }

    fn append_record(&mut self, record: RecordRef<'_>) {
        if self.journal.is_none() {
            return;
        }
        self.batch
            .push(if self.batch.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.batch, &record).expect("a record is plain data");
    }

    /// Writes all changes since the last commit as one line of the journal. The caller may send the
    /// response only after this.
    pub fn commit(&mut self) -> io::Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if self.batch.is_empty() {
            return Ok(());
        }
        self.batch.extend_from_slice(b"]\n");
        let result = journal.append_line(&self.batch);
        self.batch.clear();
        result
    }

    /// Finds an object of the account by id. Returns Stripe's error 404 for an unknown id and for
    /// an object of another account.
    pub fn find<T: StripeObject>(&self, account: &str, id: &str) -> Result<T, StripeError>
    where
        Self: HasTable<T>,
    {
        let row = self
            .table()
            .get(id)
            .filter(|row| row.key().account == account);
        row.cloned()
            .ok_or_else(|| StripeError::not_found(T::OBJECT_NAME, id))
    }
}

fn write_line(out: &mut dyn io::Write, record: RecordRef<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &[record])?;
    out.write_all(b"\n")
}

/// Selects the table that holds objects of type `T`.
pub trait HasTable<T: StripeObject> {
    fn table(&self) -> &ObjectTable<T>;
    fn table_mut(&mut self) -> &mut ObjectTable<T>;
}

macro_rules! has_table {
    ($($row:ty => $table:ident),*) => { $(impl HasTable<$row> for SandboxState {
        fn table(&self) -> &ObjectTable<$row> { &self.$table }
        fn table_mut(&mut self) -> &mut ObjectTable<$row> { &mut self.$table }
    })* };
}

has_table!(Account => accounts, Intent => intents, PaymentMethod => methods,
    ConfirmationToken => confirmation_tokens, PaymentMethodDomain => domains, Charge => charges, BalanceTransaction => transactions,
    ApplicationFee => fees, FeeRefund => fee_refunds, Refund => refunds, Dispute => disputes,
    EarlyFraudWarning => fraud_warnings, Payout => payouts, WebhookEndpoint => webhook_endpoints,
    WebhookEvent => events);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pending_event_does_not_keep_delivered_events() {
        let mut state = SandboxState::default();
        for number in 0..STORED_EVENTS_MAX + 10 {
            state.emit_event("payment_intent.created", "acct_club", "pi_unknown");
            let id = state.unsent.pop().expect("the event is unsent");
            if number != 0 {
                state.record_delivery_status(&id, DeliveryStatus::Delivered);
            }
        }
        assert_eq!(state.events.len(), STORED_EVENTS_MAX);
        let pending: Vec<usize> = state
            .events
            .rows()
            .enumerate()
            .filter(|(_, event)| event.delivery == DeliveryStatus::Pending)
            .map(|(position, _)| position)
            .collect();
        assert_eq!(pending, [0], "the pending event is kept in its place");
        for (position, event) in state.events.rows().enumerate() {
            assert_eq!(state.events.position(&event.id), Some(position));
        }
    }
}
