//! A login of its own for bank details (decision F-7): it owns the schema `bank`, and the login that serves pages has no right
//! there. So neither a query that slipped in, nor a dump, nor a backup made by that login reads where prizes are sent.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection};

use super::{ACQUIRE_TIMEOUT, Postgres, Silence, pool};
use crate::error::Failure;

/// Claims are few.
const CONNECTIONS_MAX: u32 = 2;
/// Its migrations, which its own login applies.
pub(crate) static BANK_MIGRATOR: Migrator = sqlx::migrate!("../migrations/bank");

/// The logins of a private Postgres, beside its owner's: who serves, and who alone reads bank details.
pub const SERVES: &str = "football_doubles_app";
pub const BANK: &str = "football_doubles_bank";

/// Where one database is entered, and as whom.
#[derive(Clone)]
pub struct Doors {
    /// Owns the tables, and migrates them.
    pub owner: PgConnectOptions,
    /// Serves. Hosted, it is the owner.
    pub serves: PgConnectOptions,
    /// Owns the schema `bank`. `None`: no bank details can be kept or read here.
    pub bank: Option<PgConnectOptions>,
}

impl Doors {
    /// One login for everything but bank details, which cannot be reached.
    pub fn one(options: PgConnectOptions) -> Doors {
        Doors {
            owner: options.clone(),
            serves: options,
            bank: None,
        }
    }

    /// The three logins of a private Postgres, whose owner's door this is.
    pub fn private(owner: PgConnectOptions) -> Doors {
        let (serves, bank) = (
            owner.clone().username(SERVES),
            Some(owner.clone().username(BANK)),
        );
        Doors {
            owner,
            serves,
            bank,
        }
    }

    /// For the demo on somebody else's Postgres: the three logins, if this one may make them and they are let in without a
    /// password, as on this machine they often are; else this one login.
    pub async fn made(owner: PgConnectOptions) -> Doors {
        let doors = Doors::private(owner.clone());
        let made = async {
            make_logins(&mut PgConnection::connect_with(&owner).await?).await?;
            for login in doors.bank.iter().chain([&doors.serves]) {
                PgConnection::connect_with(login).await?.close().await?;
            }
            Ok::<(), sqlx::Error>(())
        };
        if made.await.is_ok() {
            doors
        } else {
            Doors::one(owner)
        }
    }

    /// As two URLs say: the login that owns and serves, and the bank's.
    ///
    /// # Errors
    /// `NotWritten` when one of them cannot be read.
    pub fn hosted(url: &str, bank: Option<&str>) -> Result<Doors, Failure> {
        let read = |url: &str| {
            url.parse()
                .map_err(|_| Failure::NotWritten("not a database url".into()))
        };
        let bank = bank.map(read).transpose()?;
        Ok(Doors {
            bank,
            ..Doors::one(read(url)?)
        })
    }
}

/// The logins of a private cluster, for whoever owns it; roles belong to all of its databases, and are made once.
pub(crate) async fn make_logins(owner: &mut PgConnection) -> Result<(), sqlx::Error> {
    for role in [SERVES, BANK] {
        // Two that start at once both try; the slower finds it there.
        let make = format!(
            "do $$ begin
               if not exists (select from pg_roles where rolname = '{role}') then create role {role} login; end if;
             exception when duplicate_object or unique_violation then null; end $$"
        );
        sqlx::query(AssertSqlSafe(make))
            .execute(&mut *owner)
            .await?;
    }
    Ok(())
}

/// After the ordinary migrations: who may do what, and the bank's own schema. Everything may be done twice; without a login of
/// its own there is nothing to do.
pub(crate) async fn migrate(doors: &Doors) -> Result<(), MigrateError> {
    let Some(bank) = &doors.bank else {
        return Ok(());
    };
    give_rights(doors, bank).await?;
    // The record of these migrations stands in the bank's schema too.
    let bank = bank.clone().options([("search_path", "bank")]);
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(bank);
    let migrated = BANK_MIGRATOR.run(&pool).await;
    pool.close().await;
    migrated
}

async fn give_rights(doors: &Doors, bank: &PgConnectOptions) -> Result<(), sqlx::Error> {
    let mut owner = PgConnection::connect_with(&doors.owner).await?;
    grant(&mut owner, doors, bank).await?;
    owner.close().await?;
    let mut connection = PgConnection::connect_with(bank).await?;
    let known = "select exists (select from pg_namespace where nspname = 'bank')";
    if !sqlx::query_scalar::<_, bool>(known)
        .fetch_one(&mut connection)
        .await?
    {
        sqlx::query("create schema bank")
            .execute(&mut connection)
            .await?;
    }
    connection.close().await
}

async fn grant(
    owner: &mut PgConnection,
    doors: &Doors,
    bank: &PgConnectOptions,
) -> Result<(), sqlx::Error> {
    let mut wanted = Vec::new();
    if doors.owner.get_username() != doors.serves.get_username() {
        let (serves, bank) = (
            quoted(doors.serves.get_username()),
            quoted(bank.get_username()),
        );
        wanted.extend([
            format!("create schema if not exists bank authorization {bank}"),
            format!("grant usage on schema public to {serves}"),
            format!("grant all on all tables in schema public to {serves}"),
            format!("grant all on all sequences in schema public to {serves}"),
        ]);
    }
    // What the bank's login needs to keep details, say that they came, and write who did it, in one transaction.
    let bank = quoted(bank.get_username());
    wanted.extend([
        format!("grant usage on schema public to {bank}"),
        format!("grant select, insert, update, references on winner_claims to {bank}"),
        format!("grant select, insert on audit_log to {bank}"),
    ]);
    for statement in wanted {
        sqlx::query(AssertSqlSafe(statement))
            .execute(&mut *owner)
            .await?;
    }
    Ok(())
}

fn quoted(role: &str) -> String {
    format!("\"{}\"", role.replace('"', "\"\""))
}

pub(super) fn open(
    doors: &Doors,
    session: &[(&str, &str)],
    met_silence: &Silence,
) -> Option<PgPool> {
    let bank = doors.bank.clone()?.options(session.iter().copied());
    Some(pool(CONNECTIONS_MAX, &bank, met_silence))
}

impl Postgres {
    /// For bank details, and nothing else.
    pub(crate) fn bank(&self) -> Result<&PgPool, Failure> {
        let none = || {
            Failure::NotWritten("there is no login for bank details: set BANK_DATABASE_URL".into())
        };
        self.inner.bank.as_ref().ok_or_else(none)
    }

    /// Whether there is a login for bank details at all.
    pub fn reaches_bank(&self) -> bool {
        self.inner.bank.is_some()
    }

    /// Whether the login that serves is kept out of bank details: asked before a server serves for real.
    ///
    /// # Errors
    /// `NotWritten` when the database cannot be asked.
    pub async fn bank_is_apart(&self) -> Result<bool, Failure> {
        let (serves, bank) = (self.reads().clone(), self.inner.doors.bank.clone());
        let Some(bank) = bank else { return Ok(false) };
        let asked = async move {
            // A superuser, a member of the bank's role, and whoever was given a right are all let in.
            let read = "select coalesce(bool_or(has_table_privilege(c.oid, 'select')), true)
                 or has_schema_privilege('bank', 'usage') or current_user = $1
                 from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = 'bank' and c.relname = 'winner_details'";
            let name = bank.get_username().to_string();
            let let_in: bool = sqlx::query_scalar(read)
                .bind(name)
                .fetch_one(&serves)
                .await
                .map_err(Failure::from_read)?;
            Ok(!let_in)
        };
        self.run(asked).await
    }

    /// Drops everything there is, bank details too. The next migration makes the tables anew.
    ///
    /// # Errors
    /// `NotWritten`, or `Unknown`: ask again.
    pub async fn forget_everything(&self) -> Result<(), Failure> {
        let owner = self.inner.doors.owner.clone();
        let work = async move {
            let pool = PgPoolOptions::new()
                .max_connections(1)
                .acquire_timeout(ACQUIRE_TIMEOUT)
                .connect_lazy_with(owner);
            let mut transaction = pool.begin().await.map_err(Failure::from_read)?;
            for statement in [
                "drop schema if exists bank cascade",
                "drop schema public cascade",
                "create schema public",
            ] {
                sqlx::query(statement)
                    .execute(&mut *transaction)
                    .await
                    .map_err(Failure::before_commit)?;
            }
            transaction.commit().await.map_err(Failure::at_commit)
        };
        self.run(work).await
    }
}
