//! Everything the stand-in knows, and the one place where a change becomes durable.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::account::{Account, AccountLink};
use super::charge::Charge;
use super::dispute::Dispute;
use super::event::{Delivery, Event};
use super::fee::{Fee, FeeRefund};
use super::idempotency::{Body, KEPT_SECONDS, Memory, Remembered};
use super::intent::Intent;
use super::journal::Journal;
use super::method::Method;
use super::record::{Record, RecordRef};
use super::refund::Refund;
use super::snapshot::Snapshot;
use super::table::{Row, Table};
use super::transaction::Transaction;
use super::{failure::Failure, id};

/// Delivered events beyond this many are forgotten, oldest first.
const EVENTS_KEPT_MAX: usize = 5_000;
/// The journal is written anew at the start when it holds more than this many times the records that still matter.
const WASTE_MAX: usize = 2;

#[derive(Debug, Default)]
pub struct State {
    pub accounts: Table<Account>,
    pub links: HashMap<String, AccountLink>,
    pub intents: Table<Intent>,
    pub methods: Table<Method>,
    pub charges: Table<Charge>,
    pub transactions: Table<Transaction>,
    pub fees: Table<Fee>,
    pub fee_refunds: Table<FeeRefund>,
    pub refunds: Table<Refund>,
    pub disputes: Table<Dispute>,
    pub events: Table<Event>,
    pub memory: Memory,
    /// Event ids that wait to be handed to the delivery task.
    pub unsent: Vec<String>,
    /// The request being executed: its id and idempotency key go into its events.
    pub request: (String, Option<String>),
    batch: Vec<u8>,
    journal: Option<Journal>,
}

impl State {
    /// Reads the journal of `dir`, writes it anew if most of it is superseded, and goes on from there.
    pub fn open(dir: Option<&Path>) -> io::Result<Self> {
        let mut state = Self::default();
        let Some(dir) = dir else { return Ok(state) };
        let (mut unreadable, mut records_read) = (None, 0);
        let mut journal = Journal::open(dir, "provider", |line| {
            match serde_json::from_str::<Vec<Record>>(line) {
                Ok(records) => {
                    records_read += records.len();
                    records.into_iter().for_each(|record| state.restore(record));
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
        if records_read > WASTE_MAX * state.records() {
            journal.rewrite(|out| state.write_all(out))?;
        }
        state.journal = Some(journal);
        state.unsent = state
            .events
            .rows()
            .filter(|e| e.delivery == Delivery::Pending)
            .map(|e| e.id.clone())
            .collect();
        Ok(state)
    }

    /// How many records a journal written anew would hold.
    fn records(&self) -> usize {
        let objects =
            self.accounts.len() + self.intents.len() + self.methods.len() + self.charges.len();
        let money =
            self.transactions.len() + self.fees.len() + self.fee_refunds.len() + self.refunds.len();
        objects
            + money
            + self.disputes.len()
            + self.links.len()
            + self.events.len()
            + self.memory.answers().count()
    }

    fn restore(&mut self, record: Record) {
        match record {
            Record::Account(row) => self.accounts.put(row),
            Record::AccountLink(link) => drop(self.links.insert(link.token.clone(), link)),
            Record::Intent(row) => self.intents.put(row),
            Record::Method(row) => self.methods.put(row),
            Record::Charge(row) => self.charges.put(row),
            Record::Transaction(row) => self.transactions.put(row),
            Record::Fee(row) => self.fees.put(row),
            Record::FeeRefund(row) => self.fee_refunds.put(row),
            Record::Refund(row) => self.refunds.put(row),
            Record::Dispute(row) => self.disputes.put(row),
            Record::Event(row) => self.keep_event(row),
            Record::Remembered(answer) => self.keep_answer(answer),
            Record::Delivered(id) => self.mark(&id, Delivery::Delivered),
            Record::Lost(id) => self.mark(&id, Delivery::Lost),
        }
    }

    fn write_all(&self, out: &mut dyn io::Write) -> io::Result<()> {
        fn rows<T: Row>(out: &mut dyn io::Write, table: &Table<T>) -> io::Result<()> {
            table.rows().try_for_each(|row| line(out, row.record()))
        }
        rows(out, &self.accounts)?;
        self.links
            .values()
            .try_for_each(|link| line(out, RecordRef::AccountLink(link)))?;
        rows(out, &self.intents)?;
        rows(out, &self.methods)?;
        rows(out, &self.charges)?;
        rows(out, &self.transactions)?;
        rows(out, &self.fees)?;
        rows(out, &self.fee_refunds)?;
        rows(out, &self.refunds)?;
        rows(out, &self.disputes)?;
        rows(out, &self.events)?;
        let oldest = id::now() - KEPT_SECONDS;
        self.memory
            .answers()
            .filter(|a| a.at > oldest)
            .try_for_each(|a| line(out, RecordRef::Remembered(a)))
    }

    /// Notes a changed object for the next commit and puts it in its table.
    pub fn save<T: Row>(&mut self, row: T)
    where
        Self: Holds<T>,
    {
        self.note(row.record());
        self.table_mut().put(row);
    }

    pub fn save_link(&mut self, link: AccountLink) {
        self.note(RecordRef::AccountLink(&link));
        self.links.insert(link.token.clone(), link);
    }

    pub fn remember(&mut self, answer: Remembered) {
        self.note(RecordRef::Remembered(&answer));
        self.keep_answer(answer);
    }

    /// Records an event about an object that was just saved, and puts it up for delivery.
    pub fn emit(&mut self, kind: &'static str, account: &str, subject: &str) {
        let event = Event::new(kind, account, subject, &self.request);
        self.unsent.push(event.id.clone());
        self.note(RecordRef::Event(&event));
        self.keep_event(event);
    }

    /// In the journal an event follows its object's change, so the object still is what the event tells of.
    fn keep_event(&mut self, mut event: Event) {
        event.snapshot = event
            .snapshot
            .take()
            .or_else(|| Snapshot::take(self, &event.subject));
        self.events.put(event);
        while self.events.len() > EVENTS_KEPT_MAX
            && self
                .events
                .oldest()
                .is_some_and(|event| event.delivery != Delivery::Pending)
        {
            self.events.forget_oldest();
        }
    }

    fn keep_answer(&mut self, mut answer: Remembered) {
        if let Body::Intent { id, snapshot, .. } = &mut answer.body
            && snapshot.is_none()
        {
            *snapshot = self.intents.get(id).cloned().map(Box::new);
        }
        self.memory.keep(answer);
    }

    /// The end of an event's delivery; its record is written with the next commit.
    pub fn settle_event(&mut self, id: &str, delivery: Delivery) {
        self.note(match delivery {
            Delivery::Lost => RecordRef::Lost(id),
            Delivery::Pending | Delivery::Delivered => RecordRef::Delivered(id),
        });
        self.mark(id, delivery);
    }

    fn mark(&mut self, id: &str, delivery: Delivery) {
        if let Some(event) = self.events.get_mut(id) {
            event.delivery = delivery;
        }
    }

    fn note(&mut self, record: RecordRef<'_>) {
        if self.journal.is_none() {
            return;
        }
        self.batch
            .push(if self.batch.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.batch, &record).expect("a record is plain data");
    }

    /// Writes what was noted since the last commit as one line. After this the caller may answer.
    pub fn commit(&mut self) -> io::Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if self.batch.is_empty() {
            return Ok(());
        }
        self.batch.extend_from_slice(b"]\n");
        let written = journal.append(&self.batch);
        self.batch.clear();
        written
    }

    /// An object of this account, or the provider's 404: another account's objects do not exist here.
    pub fn find<T: Row>(&self, account: &str, id: &str) -> Result<T, Failure>
    where
        Self: Holds<T>,
    {
        let row = self
            .table()
            .get(id)
            .filter(|row| row.key().account == account);
        row.cloned().ok_or_else(|| Failure::unknown(T::OBJECT, id))
    }
}

fn line(out: &mut dyn io::Write, record: RecordRef<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &[record])?;
    out.write_all(b"\n")
}

/// Which table an object lives in.
pub trait Holds<T: Row> {
    fn table(&self) -> &Table<T>;
    fn table_mut(&mut self) -> &mut Table<T>;
}

macro_rules! holds {
    ($($row:ty => $table:ident),*) => { $(impl Holds<$row> for State {
        fn table(&self) -> &Table<$row> { &self.$table }
        fn table_mut(&mut self) -> &mut Table<$row> { &mut self.$table }
    })* };
}

holds!(Account => accounts, Intent => intents, Method => methods, Charge => charges, Transaction => transactions,
    Fee => fees, FeeRefund => fee_refunds, Refund => refunds, Dispute => disputes, Event => events);
