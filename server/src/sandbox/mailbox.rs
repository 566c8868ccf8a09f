//! The mails that would have been sent, kept where one can look at them.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use actix_web::Responder;
use actix_web::web::{self, Data, Json, Query, ServiceConfig};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::journal::Journal;
use super::{Sandbox, id};
use crate::render::mail::RenderedMail;

/// Mails beyond this many are forgotten, oldest first.
const MAILS_KEPT_MAX: usize = 1_000;
/// The journal is written anew when it holds this many lines more than mails are kept.
const JOURNAL_SLACK_LINES_MAX: u64 = 4_000;
const PAGE_MAX: usize = 200;
const PAGE_DEFAULT: usize = 50;

/// A delivered mail: the `id`-th since the mailbox was made, at so many milliseconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Delivered {
    pub id: u64,
    pub at: i64,
    #[serde(flatten)]
    pub mail: RenderedMail,
}

#[derive(Debug)]
pub struct Mailbox(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    mails: VecDeque<Delivered>,
    /// Mails delivered since the mailbox was made, forgotten ones included.
    total: u64,
    journal: Option<Journal>,
    lines: u64,
}

impl Mailbox {
    /// # Errors
    /// When the journal cannot be read, or another process has it open.
    pub fn open(dir: Option<&Path>) -> io::Result<Self> {
        let mut shelf = Shelf::default();
        if let Some(dir) = dir {
            let journal = Journal::open(dir, "mail", |line| {
                if let Ok(delivered) = serde_json::from_str(line) {
                    shelf.put(delivered);
                }
            })?;
            shelf.journal = Some(journal);
            shelf.rewrite()?;
        }
        Ok(Self(Mutex::new(shelf)))
    }

    /// Keeps a mail. When this returns it survives the process being killed.
    ///
    /// # Errors
    /// When the journal cannot be written; then the mail is not delivered.
    pub fn deliver(&self, mail: RenderedMail) -> io::Result<()> {
        let mut shelf = self.0.lock().expect("the mailbox is never poisoned");
        let delivered = Delivered {
            id: shelf.total + 1,
            at: id::now_ms(),
            mail,
        };
        if let Some(journal) = &mut shelf.journal {
            let mut line = serde_json::to_vec(&delivered)?;
            line.push(b'\n');
            journal.append(&line)?;
            shelf.lines += 1;
        }
        shelf.put(delivered);
        if shelf.lines > MAILS_KEPT_MAX as u64 + JOURNAL_SLACK_LINES_MAX {
            shelf.rewrite()?;
        }
        Ok(())
    }

    /// The kept mails, newest first.
    pub fn mails(&self) -> Vec<Delivered> {
        self.0
            .lock()
            .expect("the mailbox is never poisoned")
            .mails
            .iter()
            .rev()
            .cloned()
            .collect()
    }

    /// How many mails were ever delivered.
    pub fn total(&self) -> u64 {
        self.0.lock().expect("the mailbox is never poisoned").total
    }

    fn find(&self, asked: &Asked) -> (u64, Vec<Delivered>) {
        let shelf = self.0.lock().expect("the mailbox is never poisoned");
        let limit = asked.limit.unwrap_or(PAGE_DEFAULT).min(PAGE_MAX);
        let mails = shelf
            .mails
            .iter()
            .rev()
            .filter(|mail| asked.wants(mail))
            .take(limit)
            .cloned()
            .collect();
        (shelf.total, mails)
    }
}

impl Shelf {
    fn put(&mut self, delivered: Delivered) {
        self.total = self.total.max(delivered.id);
        self.mails.push_back(delivered);
        if self.mails.len() > MAILS_KEPT_MAX {
            self.mails.pop_front();
        }
    }

    fn rewrite(&mut self) -> io::Result<()> {
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

/// What of the mailbox is asked for.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    /// Only mails with a greater id.
    after: Option<u64>,
    /// Only mails to this address.
    to: Option<String>,
    kind: Option<String>,
    limit: Option<usize>,
}

impl Asked {
    fn wants(&self, delivered: &Delivered) -> bool {
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
    cfg.route("/mailbox.json", web::get().to(list));
}

/// `GET /sandbox/mailbox.json?to=&kind=&after=&limit=`, newest first.
async fn list(sandbox: Data<Sandbox>, asked: Query<Asked>) -> impl Responder {
    let (total, messages) = sandbox.mailbox.find(&asked);
    Json(json!({ "total": total, "messages": messages }))
}
