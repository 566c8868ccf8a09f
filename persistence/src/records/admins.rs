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
        let work = async move |pool: PgPool| {
            sqlx::query_scalar!(
                "insert into admins (email, name, password) values ($1, $2, $3) returning id",
                email,
                name,
                hash
            )
            .fetch_one(&pool)
            .await
        };
        self.run_write(work).await
    }

    pub async fn admin(&self, id: i64) -> Result<Option<Admin>, Failure> {
        let read = sqlx::query_as!(
            Admin,
            "select id, email, name from admins where id = $1",
            id
        );
        let work = async move |pool: PgPool| read.fetch_optional(&pool).await;
        self.run_read(work).await
    }

    /// Returns every operator. The oldest account comes first.
    pub async fn admins(&self) -> Result<Vec<Admin>, Failure> {
        let read = sqlx::query_as!(Admin, "select id, email, name from admins order by id");
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns the id and password hash of the operator with this e-mail address. Only the login
    /// calls it.
    pub async fn admin_credentials(&self, email: &str) -> Result<Option<(i64, String)>, Failure> {
        let read = sqlx::query!(
            "select id, password from admins where lower(email) = lower($1)",
            email
        )
        .map(|row| (row.id, row.password));
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }
}
