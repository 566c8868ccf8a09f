//! Collects the mails that would have been sent, so that the demo can show them.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use actix_web::Responder;
use actix_web::web::{self, Data, Json, Query, ServiceConfig};
use actors::Clock;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Sandbox;
use super::clock::SandboxClock;
use super::journal::Journal;

/// Maximum number of stored mails. The oldest are dropped first.
const STORED_MAILS_MAX: usize = 1_000;
/// The journal is compacted when it has this many lines more than [`STORED_MAILS_MAX`].
const SUPERSEDED_JOURNAL_LINES_MAX: u64 = 4_000;
const MAILS_PER_PAGE_MAX: usize = 200;
const MAILS_PER_PAGE_DEFAULT: usize = 50;

/// A mail as the server hands it to the mailbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailMessage {
    /// The mail's message id, without angle brackets. Every attempt to send the mail uses this id.
    pub message_id: String,
    /// The type of the mail: `tickets`, `winner`, `correction` and others.
    pub kind: String,
    pub to: String,
    pub from: String,
    pub reply_to: Option<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// A mail in the mailbox. `id` counts from 1; `at` is in milliseconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredMail {
    pub id: u64,
    pub at: i64,
    #[serde(flatten)]
    pub mail: MailMessage,
}

/// The mailbox, shared by all workers.
#[derive(Debug)]
pub struct Mailbox {
    store: Mutex<MailStore>,
    clock: Arc<SandboxClock>,
}

#[derive(Debug, Default)]
struct MailStore {
    mails: VecDeque<StoredMail>,
    /// Number of mails ever delivered, including mails that are no longer stored.
    total: u64,
    journal: Option<Journal>,
    lines: u64,
}

impl Mailbox {
    /// Opens the mailbox with its journal in `dir`, or in memory only.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or another process has it open.
    pub fn open(dir: Option<&Path>, clock: Arc<SandboxClock>) -> io::Result<Self> {
        let mut store = MailStore::default();
        if let Some(dir) = dir {
            let journal = Journal::open(dir, "mail", |line| {
                if let Ok(delivered) = serde_json::from_str(line) {
                    store.insert(delivered);
                }
            })?;
            store.journal = Some(journal);
            store.compact_journal()?;
        }
        Ok(Self {
            store: Mutex::new(store),
            clock,
        })
    }

    /// Stores a mail. Once this returns, the mail survives a crash of the process.
    ///
    /// # Errors
    ///
    /// The journal cannot be written. The mail is then not delivered.
    pub fn deliver(&self, mail: MailMessage) -> io::Result<()> {
        let mut store = self.store.lock().expect("the mailbox is never poisoned");
        let delivered = StoredMail {
            id: store.total + 1,
            at: self.clock.now().0,
            mail,
        };
        if let Some(journal) = &mut store.journal {
            let mut line = serde_json::to_vec(&delivered)?;
            line.push(b'\n');
            journal.append_line(&line)?;
            store.lines += 1;
        }
        store.insert(delivered);
        if store.lines > STORED_MAILS_MAX as u64 + SUPERSEDED_JOURNAL_LINES_MAX {
            store.compact_journal()?;
        }
        Ok(())
    }

    /// Returns the stored mails, newest first.
    pub fn mails(&self) -> Vec<StoredMail> {
        self.store
            .lock()
            .expect("the mailbox is never poisoned")
            .mails
            .iter()
            .rev()
            .cloned()
            .collect()
    }

    /// Returns the number of mails ever delivered.
    pub fn total(&self) -> u64 {
        self.store
            .lock()
            .expect("the mailbox is never poisoned")
            .total
    }

    fn find_mails(&self, query: &MailboxQuery) -> (u64, Vec<StoredMail>) {
        let store = self.store.lock().expect("the mailbox is never poisoned");
        let limit = query
            .limit
            .unwrap_or(MAILS_PER_PAGE_DEFAULT)
            .min(MAILS_PER_PAGE_MAX);
        let mails = store
            .mails
            .iter()
            .rev()
            .filter(|mail| query.matches(mail))
            .take(limit)
            .cloned()
            .collect();
        (store.total, mails)
    }
}

impl MailStore {
    fn insert(&mut self, delivered: StoredMail) {
        self.total = self.total.max(delivered.id);
        self.mails.push_back(delivered);
        if self.mails.len() > STORED_MAILS_MAX {
            self.mails.pop_front();
        }
    }

    fn compact_journal(&mut self) -> io::Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let mails = &self.mails;
        journal.rewrite(|out| {
            mails.iter().try_for_each(|mail| {
                serde_json::to_writer(&mut *out, mail)?;
                out.write_all(b"\n")
            })
        })?;
        self.lines = mails.len() as u64;
        Ok(())
    }
}

/// Query parameters of `GET /sandbox/mailbox.json`.
#[derive(Debug, Default, Deserialize)]
struct MailboxQuery {
    /// Selects mails with an id greater than this number. `None`: all mails.
    after: Option<u64>,
    /// Selects mails whose recipient's address contains this text. `None`: all mails.
    to: Option<String>,
    kind: Option<String>,
    limit: Option<usize>,
}

impl MailboxQuery {
    fn matches(&self, delivered: &StoredMail) -> bool {
        self.after.is_none_or(|after| delivered.id > after)
            && self
                .to
                .as_ref()
                .is_none_or(|to| delivered.mail.to.contains(to))
            && self
                .kind
                .as_ref()
                .is_none_or(|kind| delivered.mail.kind == *kind)
    }
}

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/mailbox.json", web::get().to(list_mails));
}

/// Handles `GET /sandbox/mailbox.json?to=&kind=&after=&limit=`. Lists mails, newest first.
async fn list_mails(sandbox: Data<Sandbox>, query: Query<MailboxQuery>) -> impl Responder {
    let (total, messages) = sandbox.mailbox.find_mails(&query);
    Json(json!({ "total": total, "messages": messages }))
}
