//! A separate login for bank details (decision F-7). It owns the schema `bank`; the login that
//! serves pages has no access to it. So neither an injected query nor a dump or backup made by that
//! login can read winners' bank details.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection};

use super::{ACQUIRE_TIMEOUT, DeadConnectionFlag, Postgres, pool};
use crate::error::Failure;

/// Claims are rare.
const CONNECTIONS_MAX: u32 = 2;
/// The migrations of the schema `bank`, which its own login applies.
pub(crate) static BANK_MIGRATOR: Migrator = sqlx::migrate!("../migrations/bank");

/// The additional logins of a private Postgres: one serves pages, the other reads bank details.
pub const SERVES: &str = "football_doubles_app";
pub const BANK: &str = "football_doubles_bank";

/// The logins of one database.
#[derive(Clone)]
pub struct DatabaseLogins {
    /// Owns the tables and migrates them.
    pub owner: PgConnectOptions,
    /// Serves pages. In a hosted database it is the owner.
    pub serves: PgConnectOptions,
    /// Owns the schema `bank`. `None` means that bank details cannot be stored or read.
    pub bank: Option<PgConnectOptions>,
}

impl DatabaseLogins {
    /// Uses one login, without access to bank details.
    pub fn single(options: PgConnectOptions) -> DatabaseLogins {
        DatabaseLogins {
            owner: options.clone(),
            serves: options,
            bank: None,
        }
    }

    /// Uses the three logins of a private Postgres, given the owner's.
    pub fn private(owner: PgConnectOptions) -> DatabaseLogins {
        let (serves, bank) = (
            owner.clone().username(SERVES),
            Some(owner.clone().username(BANK)),
        );
        DatabaseLogins {
            owner,
            serves,
            bank,
        }
    }

    /// For the demo on an existing Postgres. Uses three logins if this one may create them and they
    /// need no password, otherwise only this one.
    pub async fn create_if_possible(owner: PgConnectOptions) -> DatabaseLogins {
        let doors = DatabaseLogins::private(owner.clone());
        let try_logins = async {
            make_logins(&mut PgConnection::connect_with(&owner).await?).await?;
            for login in doors.bank.iter().chain([&doors.serves]) {
                PgConnection::connect_with(login).await?.close().await?;
            }
            Ok::<(), sqlx::Error>(())
        };
        if try_logins.await.is_ok() {
            doors
        } else {
            DatabaseLogins::single(owner)
        }
    }

    /// Reads the logins from two URLs: one that owns the tables and serves pages, and one for bank
    /// details.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when a URL is invalid.
    pub fn hosted(url: &str, bank: Option<&str>) -> Result<DatabaseLogins, Failure> {
        let read = |url: &str| {
            url.parse()
                .map_err(|_| Failure::NotWritten("not a database url".into()))
        };
        let bank = bank.map(read).transpose()?;
        Ok(DatabaseLogins {
            bank,
            ..DatabaseLogins::single(read(url)?)
        })
    }
}

/// Creates the logins of a private cluster, if they are missing. All databases of the cluster share
/// them.
pub(crate) async fn make_logins(owner: &mut PgConnection) -> Result<(), sqlx::Error> {
    for role in [SERVES, BANK] {
        // Two processes may try at once; the slower one finds the role there.
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

/// Grants rights and creates the schema `bank`, after the ordinary migrations. It may run twice.
/// Without a login for bank details it does nothing.
pub(crate) async fn migrate(doors: &DatabaseLogins) -> Result<(), MigrateError> {
    let Some(bank) = &doors.bank else {
        return Ok(());
    };
    grant_rights(doors, bank).await?;
    // The record of these migrations is in the schema `bank` as well.
    let bank = bank.clone().options([("search_path", "bank")]);
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(bank);
    let migrated = BANK_MIGRATOR.run(&pool).await;
    pool.close().await;
    migrated
}

async fn grant_rights(doors: &DatabaseLogins, bank: &PgConnectOptions) -> Result<(), sqlx::Error> {
    let mut owner = PgConnection::connect_with(&doors.owner).await?;
    grant(&mut owner, doors, bank).await?;
    owner.close().await?;
    let mut connection = PgConnection::connect_with(bank).await?;
    let schema_exists = "select exists (select from pg_namespace where nspname = 'bank')";
    if !sqlx::query_scalar::<_, bool>(schema_exists)
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
    doors: &DatabaseLogins,
    bank: &PgConnectOptions,
) -> Result<(), sqlx::Error> {
    let mut statements = Vec::new();
    if doors.owner.get_username() != doors.serves.get_username() {
        let (serves, bank) = (
            quoted(doors.serves.get_username()),
            quoted(bank.get_username()),
        );
        statements.extend([
            format!("create schema if not exists bank authorization {bank}"),
            format!("grant usage on schema public to {serves}"),
            format!("grant all on all tables in schema public to {serves}"),
            format!("grant all on all sequences in schema public to {serves}"),
        ]);
    }
    // One transaction of this login stores the details, records their receipt, and writes the audit
    // entry.
    let bank = quoted(bank.get_username());
    statements.extend([
        format!("grant usage on schema public to {bank}"),
        format!("grant select, insert, update, references on winner_claims to {bank}"),
        // The winner is mailed about each change. This login cannot read mails.
        format!("grant insert on email_outbox to {bank}"),
        format!("grant select, insert, update (keyed_hash) on audit_log to {bank}"),
        format!("grant select on nodes to {bank}"),
    ]);
    for statement in statements {
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
    doors: &DatabaseLogins,
    session: &[(&str, &str)],
    saw_dead_connection: &DeadConnectionFlag,
) -> Option<PgPool> {
    let bank = doors.bank.clone()?.options(session.iter().copied());
    Some(pool(CONNECTIONS_MAX, &bank, saw_dead_connection))
}

impl Postgres {
    /// Returns the pool for bank details.
    pub(crate) fn bank(&self) -> Result<&PgPool, Failure> {
        let none = || {
            Failure::NotWritten("there is no login for bank details: set BANK_DATABASE_URL".into())
        };
        self.inner.bank.as_ref().ok_or_else(none)
    }

    /// Returns whether there is a login for bank details.
    pub fn reaches_bank(&self) -> bool {
        self.inner.bank.is_some()
    }

    /// Returns whether the login that serves pages has no access to bank details. Checked before a
    /// production server starts.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when the database cannot be read.
    pub async fn bank_is_apart(&self) -> Result<bool, Failure> {
        let (serves, bank) = (self.reads().clone(), self.inner.doors.bank.clone());
        let Some(bank) = bank else { return Ok(false) };
        let check = async move {
            // A superuser, a member of the bank's role, and a role with an explicit grant all have
            // access.
            let read = "select coalesce(bool_or(has_table_privilege(c.oid, 'select')), true)
                 or has_schema_privilege('bank', 'usage') or current_user = $1
                 from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = 'bank' and c.relname = 'winner_details'";
            let name = bank.get_username().to_string();
            let has_access: bool = sqlx::query_scalar(read)
                .bind(name)
                .fetch_one(&serves)
                .await
                .map_err(Failure::from_read)?;
            Ok(!has_access)
        };
        self.run(check).await
    }

    /// Drops all tables, including bank details. The next migration creates them again.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] or [`Failure::Unknown`]: call it again.
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
