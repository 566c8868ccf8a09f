//! Converts secrets that an earlier version stored in clear text or as plain hashes to the sealed
//! or keyed form (decision M-5). Each batch is one transaction of limited size. A second conversion
//! changes nothing.

use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Row};

use super::Postgres;
use crate::error::Failure;
use crate::link_secrets::{LinkKind, LinkSecrets, link_id, without_client_secrets};
use crate::nodes::has_older_node;

/// Maximum number of rows that one transaction converts.
const BATCH_ROWS_MAX: i64 = 500;
/// Maximum number of batches of one kind in one call, so that a call takes a few seconds at most.
const BATCHES_PER_CALL_MAX: usize = 10;

/// A table column that may contain a plain hash.
struct HashColumn {
    table: &'static str,
    key: &'static str,
    column: &'static str,
    kind: LinkKind,
}

const HASH_COLUMNS: [HashColumn; 5] = [
    HashColumn {
        table: "sessions",
        key: "token_hash",
        column: "token_hash",
        kind: LinkKind::Session,
    },
    HashColumn {
        table: "ticket_links",
        key: "token_hash",
        column: "token_hash",
        kind: LinkKind::Tickets,
    },
    HashColumn {
        table: "winner_claims",
        key: "draw_id",
        column: "token_hash",
        kind: LinkKind::Claim,
    },
    HashColumn {
        table: "club_users",
        key: "id",
        column: "token_hash",
        kind: LinkKind::Account,
    },
    HashColumn {
        table: "admins",
        key: "id",
        column: "reset_token_hash",
        kind: LinkKind::Account,
    },
];

/// Columns of `clubs` that hold a hash as hexadecimal text.
const CLUB_HASH_COLUMNS: [(&str, LinkKind); 2] = [
    ("password_reset_token", LinkKind::Account),
    ("email_verification_token", LinkKind::Verification),
];

impl Postgres {
    /// Converts some rows that an earlier version of the program wrote, and returns how many. The
    /// caller repeats the call until it returns 0. Converts nothing while a node with an earlier
    /// version is alive, because that node cannot read the new form.
    ///
    /// # Errors
    ///
    /// The database could not be read or written. The caller may call again.
    pub async fn convert_link_secrets(&self) -> Result<u64, Failure> {
        let (pool, secrets) = (self.background_pool().clone(), self.inner.secrets.clone());
        let beside_older = self
            .run_on_database_threads(async move {
                has_older_node(&pool)
                    .await
                    .map_err(Failure::from_read_error)
            })
            .await?;
        if beside_older {
            return Ok(0);
        }
        let mut converted = 0;
        for step in ConversionStep::all() {
            for _ in 0..BATCHES_PER_CALL_MAX {
                let (pool, secrets) = (self.background_pool().clone(), secrets.clone());
                let batch = async move {
                    step.convert_batch(&pool, &secrets)
                        .await
                        .map_err(Failure::from_commit_error)
                };
                let rows = self.run_on_database_threads(batch).await?;
                converted += rows;
                if rows < BATCH_ROWS_MAX as u64 {
                    break;
                }
            }
        }
        Ok(converted)
    }
}

/// The kind of rows that one batch converts.
#[derive(Clone, Copy)]
enum ConversionStep {
    Orders,
    Events,
    Hashes(&'static HashColumn),
    Texts(&'static str, LinkKind),
}

impl ConversionStep {
    fn all() -> impl Iterator<Item = ConversionStep> {
        let texts = CLUB_HASH_COLUMNS
            .iter()
            .map(|(column, kind)| ConversionStep::Texts(column, *kind));
        [ConversionStep::Orders, ConversionStep::Events]
            .into_iter()
            .chain(HASH_COLUMNS.iter().map(ConversionStep::Hashes))
            .chain(texts)
    }

    async fn convert_batch(self, pool: &PgPool, secrets: &LinkSecrets) -> Result<u64, sqlx::Error> {
        match self {
            ConversionStep::Orders => convert_orders(pool, secrets).await,
            ConversionStep::Events => convert_webhook_events(pool).await,
            ConversionStep::Hashes(column) => convert_hashes(pool, secrets, column).await,
            ConversionStep::Texts(column, kind) => {
                convert_hash_texts(pool, secrets, column, kind).await
            }
        }
    }
}

/// Converts the secrets of orders. Skips rows that a purchase has locked, so that no buyer waits. A
/// later call converts the skipped rows.
async fn convert_orders(pool: &PgPool, secrets: &LinkSecrets) -> Result<u64, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        "select id, token, client_secret from orders where token is not null or client_secret is not null
         limit $1 for update skip locked",
        BATCH_ROWS_MAX
    )
    .fetch_all(&mut *transaction)
    .await?;
    let (mut ids, mut hashes, mut tokens, mut client_secrets) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        let token = row
            .token
            .as_deref()
            .map(|token| secrets.stored_token_forms(row.id, token));
        ids.push(row.id);
        hashes.push(token.as_ref().map(|token| token.hash.to_vec()));
        tokens.push(token.map(|token| token.sealed));
        client_secrets.push(
            row.client_secret
                .as_deref()
                .map(|secret| secrets.stored_client_secret_forms(row.id, secret).1),
        );
    }
    sqlx::query!(
        "update orders o set token = null, client_secret = null, token_hash = coalesce(a.hash, o.token_hash),
           token_sealed = coalesce(a.token, o.token_sealed),
           client_secret_sealed = coalesce(a.secret, o.client_secret_sealed)
         from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[]) as a (id, hash, token, secret) where o.id = a.id",
        &ids[..],
        &hashes as _,
        &tokens as _,
        &client_secrets as _
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(rows.len() as u64)
}

async fn convert_webhook_events(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    let rows = sqlx::query!(
        "select event_id, payload from webhook_events where payload like '%client_secret%'
         limit $1 for update skip locked",
        BATCH_ROWS_MAX
    )
    .fetch_all(&mut *transaction)
    .await?;
    let stored = |payload: &String| {
        let stored = without_client_secrets(payload);
        // The payload still contains `client_secret`, for example inside a nested JSON text. An
        // empty object is stored instead, because otherwise every batch would select this row
        // again.
        if stored.contains("client_secret") {
            "{}".to_string()
        } else {
            stored.into_owned()
        }
    };
    let payloads: Vec<String> = rows.iter().map(|row| stored(&row.payload)).collect();
    let ids: Vec<String> = rows.iter().map(|row| row.event_id.clone()).collect();
    sqlx::query!(
        "update webhook_events w set payload = a.payload
         from unnest($1::text[], $2::text[]) as a (id, payload) where w.event_id = a.id",
        &ids[..],
        &payloads[..]
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(rows.len() as u64)
}

async fn convert_hashes(
    pool: &PgPool,
    secrets: &LinkSecrets,
    of: &HashColumn,
) -> Result<u64, sqlx::Error> {
    let HashColumn {
        table,
        key,
        column,
        kind,
    } = of;
    let mut transaction = pool.begin().await?;
    let find = format!(
        "select {column} from {table} where octet_length({column}) = 32 order by {key} limit $1 for update skip locked"
    );
    let rows = sqlx::query(AssertSqlSafe(find))
        .bind(BATCH_ROWS_MAX)
        .fetch_all(&mut *transaction)
        .await?;
    let plain = rows
        .iter()
        .map(|row| row.try_get::<Vec<u8>, _>(0))
        .collect::<Result<Vec<_>, _>>()?;
    let keyed: Vec<Vec<u8>> = plain
        .iter()
        .map(|hash| secrets.keyed_hash(*kind, hash))
        .collect();
    if *kind == LinkKind::Tickets {
        // The cleanup of expired links finds the mail of a link by this dedupe key. The key
        // contains the link's hash, so it changes with the hash.
        let name = |hash: &Vec<u8>| format!("my-tickets-{}", link_id(hash));
        let before: Vec<String> = plain.iter().map(name).collect();
        let after: Vec<String> = keyed.iter().map(name).collect();
        sqlx::query!(
            "update email_outbox e set dedupe_key = a.after
             from unnest($1::text[], $2::text[]) as a (before, after) where e.dedupe_key = a.before",
            &before[..],
            &after[..]
        )
        .execute(&mut *transaction)
        .await?;
    }
    let write = format!(
        "update {table} t set {column} = a.keyed
         from unnest($1::bytea[], $2::bytea[]) as a (plain, keyed) where t.{column} = a.plain"
    );
    sqlx::query(AssertSqlSafe(write))
        .bind(plain)
        .bind(keyed)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(rows.len() as u64)
}

async fn convert_hash_texts(
    pool: &PgPool,
    secrets: &LinkSecrets,
    column: &str,
    kind: LinkKind,
) -> Result<u64, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    let find = format!(
        "select id, decode({column}, 'hex') from clubs where {column} ~ '^[0-9a-f]{{64}}$' order by id limit $1
         for update skip locked"
    );
    let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(AssertSqlSafe(find))
        .bind(BATCH_ROWS_MAX)
        .fetch_all(&mut *transaction)
        .await?;
    let (ids, keyed): (Vec<i64>, Vec<String>) = rows
        .iter()
        .map(|(id, hash)| (*id, hex::encode(secrets.keyed_hash(kind, hash))))
        .unzip();
    let write = format!(
        "update clubs c set {column} = a.keyed from unnest($1::bigint[], $2::text[]) as a (id, keyed) where c.id = a.id"
    );
    sqlx::query(AssertSqlSafe(write))
        .bind(ids)
        .bind(keyed)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(rows.len() as u64)
}
