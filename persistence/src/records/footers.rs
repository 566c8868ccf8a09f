//! The menus of the public pages' footer, and their items (specification C, line 302; decision
//! I-11).

use std::collections::BTreeMap;

use sqlx::{PgPool, Row};

use super::audit::{self, AuditEntry};
use super::{Records, Statement, bump_catalogue_revision, repeatable_statement};
use crate::Failure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterMenu {
    pub id: i64,
    pub heading: String,
    pub display_order: i32,
    pub is_visible: bool,
    pub items: Vec<FooterItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct FooterItem {
    pub id: i64,
    pub menu_id: i64,
    pub label: String,
    pub url: String,
    pub display_order: i32,
    pub is_visible: bool,
}

/// Submitted fields of a footer menu. A field that is `None` does not change.
#[derive(Clone, Debug, Default)]
pub struct MenuForm {
    pub heading: Option<String>,
    pub display_order: Option<i32>,
    pub is_visible: Option<bool>,
}

/// Submitted fields of a footer item. A field that is `None` does not change.
#[derive(Clone, Debug, Default)]
pub struct ItemForm {
    pub menu_id: Option<i64>,
    pub label: Option<String>,
    pub url: Option<String>,
    pub display_order: Option<i32>,
    pub is_visible: Option<bool>,
}

impl Records {
    /// Returns every footer menu with its items, in display order. Includes hidden ones, which
    /// public pages leave out.
    pub async fn footer_menus(&self) -> Result<Vec<FooterMenu>, Failure> {
        let read = sqlx::query_as(
            "select id, heading, display_order, is_visible from footer_menus order by display_order, id",
        );
        let menus: Vec<(i64, String, i32, bool)> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let read = sqlx::query_as(
            "select id, menu_id, label, url, display_order, is_visible from footer_menu_items order by display_order, id",
        );
        let items: Vec<FooterItem> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let mut of_menu: BTreeMap<i64, Vec<FooterItem>> = BTreeMap::new();
        for item in items {
            of_menu.entry(item.menu_id).or_default().push(item);
        }
        let menu = |(id, heading, display_order, is_visible)| {
            let items = of_menu.remove(&id).unwrap_or_default();
            FooterMenu {
                id,
                heading,
                display_order,
                is_visible,
                items,
            }
        };
        Ok(menus.into_iter().map(menu).collect())
    }

    pub async fn create_footer_menu(
        &self,
        heading: &str,
        display_order: i32,
    ) -> Result<i64, Failure> {
        let write =
            "insert into footer_menus (heading, display_order) values ($1, $2) returning id";
        let heading = heading.to_string();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let write = sqlx::query_scalar(write).bind(heading).bind(display_order);
            let id = write.fetch_one(&mut *transaction).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(id)
        };
        self.run_write(work).await
    }

    pub async fn create_footer_item(
        &self,
        menu: i64,
        label: &str,
        url: &str,
        display_order: i32,
    ) -> Result<(), Failure> {
        let write = "insert into footer_menu_items (menu_id, label, url, display_order) values ($1, $2, $3, $4)";
        let write = sqlx::query(write)
            .bind(menu)
            .bind(label.to_string())
            .bind(url.to_string())
            .bind(display_order);
        self.change_row_shown_in_lists(write).await?;
        Ok(())
    }

    /// Creates or changes a footer menu and writes the audit entry. Returns `None` when `id` names
    /// no menu.
    pub async fn put_footer_menu(
        &self,
        id: Option<i64>,
        menu: &MenuForm,
        entry: AuditEntry,
    ) -> Result<Option<i64>, Failure> {
        let write = match id {
            None => {
                "insert into footer_menus (heading, display_order, is_visible)
                 select coalesce($2, ''), coalesce($3, 0), coalesce($4, true) where $1::bigint is null returning id"
            }
            Some(_) => {
                "update footer_menus set heading = coalesce($2, heading), display_order = coalesce($3, display_order),
                     is_visible = coalesce($4, is_visible), updated_at = transaction_instant()
                 where id = $1 returning id"
            }
        };
        let write = sqlx::query(write).bind(id).bind(menu.heading.clone());
        self.write_footer_row(write.bind(menu.display_order).bind(menu.is_visible), entry)
            .await
    }

    /// Creates or changes a footer item and writes the audit entry. Returns `None` when there is no
    /// such item or menu.
    pub async fn put_footer_item(
        &self,
        id: Option<i64>,
        item: &ItemForm,
        entry: AuditEntry,
    ) -> Result<Option<i64>, Failure> {
        let write = match id {
            None => "insert into footer_menu_items (menu_id, label, url, display_order, is_visible)
                 select m.id, coalesce($3, ''), coalesce($4, '#'), coalesce($5, 0), coalesce($6, true)
                 from footer_menus m where m.id = $2 and $1::bigint is null returning id",
            Some(_) => "update footer_menu_items set menu_id = coalesce($2, menu_id), label = coalesce($3, label),
                     url = coalesce($4, url), display_order = coalesce($5, display_order),
                     is_visible = coalesce($6, is_visible), updated_at = transaction_instant()
                 where id = $1 and ($2::bigint is null or exists (select from footer_menus m where m.id = $2)) returning id",
        };
        let write = sqlx::query(write)
            .bind(id)
            .bind(item.menu_id)
            .bind(item.label.clone());
        let write = write
            .bind(item.url.clone())
            .bind(item.display_order)
            .bind(item.is_visible);
        self.write_footer_row(write, entry).await
    }

    /// Removes a footer menu with its items. Returns `false` when there is no such menu.
    pub async fn remove_footer_menu(&self, id: i64, entry: AuditEntry) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query("delete from footer_menus where id = $1").bind(id),
            entry,
            true,
        )
        .await
    }

    pub async fn remove_footer_item(&self, id: i64, entry: AuditEntry) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query("delete from footer_menu_items where id = $1").bind(id),
            entry,
            true,
        )
        .await
    }

    /// Runs a statement that returns the id of the row it wrote, and writes the audit entry in the
    /// same transaction. Returns `None` when no row was written.
    async fn write_footer_row(
        &self,
        write: Statement,
        entry: AuditEntry,
    ) -> Result<Option<i64>, Failure> {
        let write = repeatable_statement(write)?;
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let row = write().fetch_optional(&mut *transaction).await?;
            let id = row.map(|row| row.try_get(0)).transpose()?;
            if let Some(id) = id {
                audit::write_entry(&mut transaction, &sealer, &entry.with_object_id(id)).await?;
                bump_catalogue_revision(&mut transaction).await?;
            }
            transaction.commit().await?;
            Ok(id)
        };
        self.run_write(work).await
    }
}
