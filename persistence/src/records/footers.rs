//! The public footer: menus and their items (C:302, decision I-11).

use std::collections::BTreeMap;

use sqlx::PgPool;

use super::{Records, catalogue_changed};
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

impl Records {
    /// Every menu with its items, in display order; the public sees the visible ones.
    pub async fn footer_menus(&self) -> Result<Vec<FooterMenu>, Failure> {
        let read = sqlx::query_as(
            "select id, heading, display_order, is_visible from footer_menus order by display_order, id",
        );
        let menus: Vec<(i64, String, i32, bool)> =
            self.read(async move |pool: PgPool| read.fetch_all(&pool).await).await?;
        let read = sqlx::query_as(
            "select id, menu_id, label, url, display_order, is_visible from footer_menu_items order by display_order, id",
        );
        let items: Vec<FooterItem> = self.read(async move |pool: PgPool| read.fetch_all(&pool).await).await?;
        let mut of_menu: BTreeMap<i64, Vec<FooterItem>> = BTreeMap::new();
        for item in items {
            of_menu.entry(item.menu_id).or_default().push(item);
        }
        let menu = |(id, heading, display_order, is_visible)| {
            let items = of_menu.remove(&id).unwrap_or_default();
            FooterMenu { id, heading, display_order, is_visible, items }
        };
        Ok(menus.into_iter().map(menu).collect())
    }

    pub async fn create_footer_menu(&self, heading: &str, display_order: i32) -> Result<i64, Failure> {
        let write = "insert into footer_menus (heading, display_order) values ($1, $2) returning id";
        let write = sqlx::query_scalar(write).bind(heading.to_string()).bind(display_order);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let id = write.fetch_one(&mut *transaction).await?;
            catalogue_changed(&mut transaction).await?;
            transaction.commit().await?;
            Ok(id)
        };
        self.write(work).await
    }

    pub async fn create_footer_item(
        &self,
        menu: i64,
        label: &str,
        url: &str,
        display_order: i32,
    ) -> Result<(), Failure> {
        let write = "insert into footer_menu_items (menu_id, label, url, display_order) values ($1, $2, $3, $4)";
        let write = sqlx::query(write).bind(menu).bind(label.to_string()).bind(url.to_string()).bind(display_order);
        self.change(write).await?;
        Ok(())
    }
}
