//! The menus of the public pages' footer, and their items (specification C, line 302; decision
//! I-11).

use std::collections::BTreeMap;

use sqlx::{PgConnection, PgPool, Postgres, Transaction};

use super::audit::{self, AuditEntry};
use super::{Records, bump_catalogue_revision};
use crate::{Failure, Sealer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterMenu {
    pub id: i64,
    pub heading: String,
    pub display_order: i32,
    pub is_visible: bool,
    pub items: Vec<FooterItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
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
        let read = sqlx::query!(
            "select id, heading, display_order, is_visible from footer_menus order by display_order, id"
        );
        let menus = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let read = sqlx::query_as!(
            FooterItem,
            "select id, menu_id, label, url, display_order, is_visible from footer_menu_items order by display_order, id"
        );
        let items = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let mut of_menu: BTreeMap<i64, Vec<FooterItem>> = BTreeMap::new();
        for item in items {
            of_menu.entry(item.menu_id).or_default().push(item);
        }
        Ok(menus
            .into_iter()
            .map(|menu| FooterMenu {
                id: menu.id,
                heading: menu.heading,
                display_order: menu.display_order,
                is_visible: menu.is_visible,
                items: of_menu.remove(&menu.id).unwrap_or_default(),
            })
            .collect())
    }

    pub async fn create_footer_menu(
        &self,
        heading: &str,
        display_order: i32,
    ) -> Result<i64, Failure> {
        let heading = heading.to_string();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let write = sqlx::query_scalar!(
                "insert into footer_menus (heading, display_order) values ($1, $2) returning id",
                heading,
                display_order
            );
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
        let write = sqlx::query!(
            "insert into footer_menu_items (menu_id, label, url, display_order) values ($1, $2, $3, $4)",
            menu,
            label,
            url,
            display_order
        );
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
        let menu = menu.clone();
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let written = match id {
                None => Some(insert_menu(&mut transaction, &menu).await?),
                Some(id) => update_menu(&mut transaction, id, &menu).await?,
            };
            commit_footer_change(transaction, &sealer, &entry, written).await
        };
        self.run_write(work).await
    }

    /// Creates or changes a footer item and writes the audit entry. Returns `None` when there is no
    /// such item or menu.
    pub async fn put_footer_item(
        &self,
        id: Option<i64>,
        item: &ItemForm,
        entry: AuditEntry,
    ) -> Result<Option<i64>, Failure> {
        let item = item.clone();
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let written = match id {
                None => insert_item(&mut transaction, &item).await?,
                Some(id) => update_item(&mut transaction, id, &item).await?,
            };
            commit_footer_change(transaction, &sealer, &entry, written).await
        };
        self.run_write(work).await
    }

    /// Removes a footer menu with its items. Returns `false` when there is no such menu.
    pub async fn remove_footer_menu(&self, id: i64, entry: AuditEntry) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query!("delete from footer_menus where id = $1", id),
            entry,
            true,
        )
        .await
    }

    pub async fn remove_footer_item(&self, id: i64, entry: AuditEntry) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query!("delete from footer_menu_items where id = $1", id),
            entry,
            true,
        )
        .await
    }
}

async fn insert_menu(connection: &mut PgConnection, menu: &MenuForm) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into footer_menus (heading, display_order, is_visible)
         values (coalesce($1, ''), coalesce($2, 0), coalesce($3, true)) returning id",
        menu.heading.as_deref(),
        menu.display_order,
        menu.is_visible
    )
    .fetch_one(connection)
    .await
}

/// Returns `None` when there is no such menu.
async fn update_menu(
    connection: &mut PgConnection,
    id: i64,
    menu: &MenuForm,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "update footer_menus set heading = coalesce($2, heading), display_order = coalesce($3, display_order),
             is_visible = coalesce($4, is_visible), updated_at = transaction_instant()
         where id = $1 returning id",
        id,
        menu.heading.as_deref(),
        menu.display_order,
        menu.is_visible
    )
    .fetch_optional(connection)
    .await
}

/// Returns `None` when the form names no menu, or one that does not exist.
async fn insert_item(
    connection: &mut PgConnection,
    item: &ItemForm,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into footer_menu_items (menu_id, label, url, display_order, is_visible)
         select m.id, coalesce($2, ''), coalesce($3, '#'), coalesce($4, 0), coalesce($5, true)
         from footer_menus m where m.id = $1 returning id",
        item.menu_id,
        item.label.as_deref(),
        item.url.as_deref(),
        item.display_order,
        item.is_visible
    )
    .fetch_optional(connection)
    .await
}

/// Returns `None` when there is no such item, or no such menu to move it to.
async fn update_item(
    connection: &mut PgConnection,
    id: i64,
    item: &ItemForm,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "update footer_menu_items set menu_id = coalesce($2, menu_id), label = coalesce($3, label),
             url = coalesce($4, url), display_order = coalesce($5, display_order),
             is_visible = coalesce($6, is_visible), updated_at = transaction_instant()
         where id = $1 and ($2::bigint is null or exists (select from footer_menus m where m.id = $2)) returning id",
        id,
        item.menu_id,
        item.label.as_deref(),
        item.url.as_deref(),
        item.display_order,
        item.is_visible
    )
    .fetch_optional(connection)
    .await
}

/// Writes the audit entry of a change, increments the catalogue's revision and commits. Writes
/// neither when `written`, the id of the written row, is `None`.
async fn commit_footer_change(
    mut transaction: Transaction<'_, Postgres>,
    sealer: &Sealer,
    entry: &AuditEntry,
    written: Option<i64>,
) -> Result<Option<i64>, sqlx::Error> {
    if let Some(id) = written {
        let entry = entry.clone().with_object_id(id);
        audit::write_entry(&mut transaction, sealer, &entry).await?;
        bump_catalogue_revision(&mut transaction).await?;
    }
    transaction.commit().await?;
    Ok(written)
}
