//! A separate database login for bank details (decision F-7). That login owns the schema `bank`.
//! The login that serves pages has no access to this schema. So neither an SQL injection through a
//! page nor a dump made with that login exposes winners' bank details.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection};

use super::{CONNECTION_ACQUIRE_TIMEOUT, DeadConnectionFlag, Postgres, build_pool};
use crate::error::Failure;

/// Maximum number of connections with the login for bank details. Two suffice, because prize claims
/// are rare.
const BANK_CONNECTIONS_MAX: u32 = 2;
/// The migrations of the schema `bank`. The login for bank details applies them.
pub(crate) static BANK_MIGRATOR: Migrator = sqlx::migrate!("../migrations/bank");

/// Name of the login with which a private Postgres (demo or test) serves pages.
pub const SERVING_LOGIN_NAME: &str = "football_doubles_app";
/// Name of the login with which a private Postgres (demo or test) stores and reads bank details.
pub const BANK_LOGIN_NAME: &str = "football_doubles_bank";

/// The logins for one database.
#[derive(Clone)]
pub struct DatabaseLogins {
    /// The login that owns the tables and migrates them.
    pub owner: PgConnectOptions,
    /// The login that serves pages. With a hosted database, `serves` and `owner` are one login.
    pub serves: PgConnectOptions,
    /// The login that owns the schema `bank`. `None` means that bank details can be neither stored
    /// nor read.
    pub bank: Option<PgConnectOptions>,
}

impl DatabaseLogins {
    /// Connects everything with the one login in `options`, and has no login for bank details. Bank
    /// details can then be neither stored nor read.
    pub fn single_login(options: PgConnectOptions) -> DatabaseLogins {
        DatabaseLogins {
            owner: options.clone(),
            serves: options,
            bank: None,
        }
    }

    /// Returns the three logins of a private Postgres, given the login of the owner.
    pub fn for_private_postgres(owner: PgConnectOptions) -> DatabaseLogins {
        let (serves, bank) = (
            owner.clone().username(SERVING_LOGIN_NAME),
            Some(owner.clone().username(BANK_LOGIN_NAME)),
        );
        DatabaseLogins {
            owner,
            serves,
            bank,
        }
    }

    /// Returns the logins for a demo on an existing Postgres: three logins if `owner` may create
    /// two more and these need no password, otherwise only `owner`.
    pub async fn separate_if_possible(owner: PgConnectOptions) -> DatabaseLogins {
        let logins = DatabaseLogins::for_private_postgres(owner.clone());
        let try_logins = async {
            create_missing_logins(&mut PgConnection::connect_with(&owner).await?).await?;
            for login in logins.bank.iter().chain([&logins.serves]) {
                PgConnection::connect_with(login).await?.close().await?;
            }
            Ok::<(), sqlx::Error>(())
        };
        if try_logins.await.is_ok() {
            logins
        } else {
            DatabaseLogins::single_login(owner)
        }
    }

    /// Reads the logins from two URLs: `url` owns the tables and serves pages, `bank` is for bank
    /// details.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when a URL is invalid.
    pub fn from_urls(url: &str, bank: Option<&str>) -> Result<DatabaseLogins, Failure> {
        let read = |url: &str| {
            url.parse()
                .map_err(|_| Failure::NotWritten("not a database url".into()))
        };
        let bank = bank.map(read).transpose()?;
        Ok(DatabaseLogins {
            bank,
            ..DatabaseLogins::single_login(read(url)?)
        })
    }
}

/// Creates the additional logins that are missing. All databases of the Postgres server share them.
pub(crate) async fn create_missing_logins(owner: &mut PgConnection) -> Result<(), sqlx::Error> {
    for role in [SERVING_LOGIN_NAME, BANK_LOGIN_NAME] {
        // Two processes may create the role at the same time. The slower process finds that it
        // exists.
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

/// Creates the schema `bank` and grants rights, after the ordinary migrations. A repeated call is
/// harmless. Without a login for bank details, the call does nothing.
pub(crate) async fn migrate(logins: &DatabaseLogins) -> Result<(), MigrateError> {
    let Some(bank) = &logins.bank else {
        return Ok(());
    };
    grant_rights_and_create_schema(logins, bank).await?;
    // The search path puts the table of applied migrations into the schema `bank` as well.
    let bank = bank.clone().options([("search_path", "bank")]);
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(bank);
    let migrated = BANK_MIGRATOR.run(&pool).await;
    pool.close().await;
    migrated
}

async fn grant_rights_and_create_schema(
    logins: &DatabaseLogins,
    bank: &PgConnectOptions,
) -> Result<(), sqlx::Error> {
    let mut owner = PgConnection::connect_with(&logins.owner).await?;
    grant_login_rights(&mut owner, logins, bank).await?;
    owner.close().await?;
    let mut connection = PgConnection::connect_with(bank).await?;
    let schema_exists = sqlx::query_scalar!(
        r#"select exists (select from pg_namespace where nspname = 'bank') as "exists!""#
    );
    if !schema_exists.fetch_one(&mut connection).await? {
        sqlx::query!("create schema bank")
            .execute(&mut connection)
            .await?;
    }
    connection.close().await
}

async fn grant_login_rights(
    owner: &mut PgConnection,
    logins: &DatabaseLogins,
    bank: &PgConnectOptions,
) -> Result<(), sqlx::Error> {
    let mut statements = Vec::new();
    if logins.owner.get_username() != logins.serves.get_username() {
        let (serves, bank) = (
            quote_role(logins.serves.get_username()),
            quote_role(bank.get_username()),
        );
        statements.extend([
            format!("create schema if not exists bank authorization {bank}"),
            format!("grant usage on schema public to {serves}"),
            format!("grant all on all tables in schema public to {serves}"),
            format!("grant all on all sequences in schema public to {serves}"),
        ]);
    }
    // The login for bank details stores the details, records their receipt, and writes the audit
    // entry in one transaction. So it needs these rights.
    let bank = quote_role(bank.get_username());
    statements.extend([
        format!("grant usage on schema public to {bank}"),
        format!("grant select, insert, update, references on winner_claims to {bank}"),
        // The winner is mailed about each change of bank details, so the login for bank details may
        // queue mails. It cannot read them.
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

fn quote_role(role: &str) -> String {
    format!("\"{}\"", role.replace('"', "\"\""))
}

pub(super) fn open_bank_pool(
    logins: &DatabaseLogins,
    session: &[(&str, &str)],
    saw_dead_connection: &DeadConnectionFlag,
) -> Option<PgPool> {
    let bank = logins.bank.clone()?.options(session.iter().copied());
    Some(build_pool(BANK_CONNECTIONS_MAX, &bank, saw_dead_connection))
}

impl Postgres {
    /// Returns the connection pool for bank details.
    pub(crate) fn bank_pool(&self) -> Result<&PgPool, Failure> {
        let none = || {
            Failure::NotWritten("there is no login for bank details: set BANK_DATABASE_URL".into())
        };
        self.inner.bank.as_ref().ok_or_else(none)
    }

    /// Returns whether a login for bank details is configured.
    pub fn has_bank_login(&self) -> bool {
        self.inner.bank.is_some()
    }

    /// Returns whether the login that serves pages is denied access to bank details. A production
    /// server checks this before it starts.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database cannot be read.
    pub async fn are_bank_details_hidden_from_pages(&self) -> Result<bool, Failure> {
        let (serves, bank) = (self.reads_pool().clone(), self.inner.logins.bank.clone());
        let Some(bank) = bank else { return Ok(false) };
        let check = async move {
            // The query asks for effective rights, because a superuser, a member of the bank's
            // role, and a role with an explicit grant all have access.
            let has_access = sqlx::query_scalar!(
                r#"select coalesce(bool_or(has_table_privilege(c.oid, 'select')), true)
                 or has_schema_privilege('bank', 'usage') or current_user = $1 as "has_access!"
                 from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = 'bank' and c.relname = 'winner_details'"#,
                bank.get_username()
            )
            .fetch_one(&serves)
            .await
            .map_err(Failure::from_read_error)?;
            Ok(!has_access)
        };
        self.run_on_database_threads(check).await
    }

    /// Drops all tables, including bank details. The next migration creates them again.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] or [`Failure::Unknown`]. The caller may call again.
    pub async fn drop_all_tables(&self) -> Result<(), Failure> {
        let owner = self.inner.logins.owner.clone();
        let work = async move {
            let pool = PgPoolOptions::new()
                .max_connections(1)
                .acquire_timeout(CONNECTION_ACQUIRE_TIMEOUT)
                .connect_lazy_with(owner);
            let mut transaction = pool.begin().await.map_err(Failure::from_read_error)?;
            for statement in [
                sqlx::query!("drop schema if exists bank cascade"),
                sqlx::query!("drop schema public cascade"),
                sqlx::query!("create schema public"),
            ] {
                statement
                    .execute(&mut *transaction)
                    .await
                    .map_err(Failure::from_error_before_commit)?;
            }
            transaction
                .commit()
                .await
                .map_err(Failure::from_commit_error)
        };
        self.run_on_database_threads(work).await
    }
}
