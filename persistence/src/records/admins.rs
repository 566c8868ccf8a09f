//! Operators: the people who may sign in to the console.

use sqlx::PgPool;

use super::Records;
use crate::Failure;

/// An operator without the password hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admin {
    pub id: i64,
    pub email: String,
    pub name: String,
}

impl Records {
    pub async fn create_admin(
        &self,
        email: &str,
        name: &str,
        password_hash: &str,
    ) -> Result<i64, Failure> {
        let (email, name, hash) = (
            email.to_string(),
            name.to_string(),
            password_hash.to_string(),
        );
        let write = "insert into admins (email, name, password) values ($1, $2, $3) returning id";
        let work = async move |pool: PgPool| {
            sqlx::query_scalar(write)
                .bind(email)
                .bind(name)
                .bind(hash)
                .fetch_one(&pool)
                .await
        };
        self.run_write(work).await
    }

    pub async fn admin(&self, id: i64) -> Result<Option<Admin>, Failure> {
        let read = sqlx::query_as("select id, email, name from admins where id = $1").bind(id);
        let work = async move |pool: PgPool| read.fetch_optional(&pool).await;
        let row: Option<(i64, String, String)> = self.run_read(work).await?;
        Ok(row.map(|(id, email, name)| Admin { id, email, name }))
    }

    /// Returns every operator. The oldest account comes first.
    pub async fn admins(&self) -> Result<Vec<Admin>, Failure> {
        let read = sqlx::query_as("select id, email, name from admins order by id");
        let rows: Vec<(i64, String, String)> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|(id, email, name)| Admin { id, email, name })
            .collect())
    }

    /// Returns the id and password hash of the operator with this e-mail address. Only the login
    /// calls it.
    pub async fn admin_credentials(&self, email: &str) -> Result<Option<(i64, String)>, Failure> {
        let read = "select id, password from admins where lower(email) = lower($1)";
        let read = sqlx::query_as(read).bind(email.to_string());
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }
}
