//! The menus of the public site's footer.

use persistence::records::footers::{FooterItem as ItemRow, FooterMenu as MenuRow};
use serde::Serialize;
use utoipa::ToSchema;

/// A menu of the footer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooterMenu {
    pub id: i64,
    pub heading: String,
    pub is_visible: bool,
    pub display_order: i32,
    pub items: Vec<FooterItem>,
}

/// A link in a footer menu.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooterItem {
    pub id: i64,
    pub menu_id: i64,
    pub label: String,
    pub url: String,
    pub is_visible: bool,
    pub display_order: i32,
}

impl From<&MenuRow> for FooterMenu {
    fn from(menu: &MenuRow) -> FooterMenu {
        FooterMenu {
            id: menu.id,
            heading: menu.heading.clone(),
            is_visible: menu.is_visible,
            display_order: menu.display_order,
            items: menu
                .items
                .iter()
                .filter(|item| item.is_visible)
                .map(FooterItem::from)
                .collect(),
        }
    }
}

impl FooterMenu {
    /// Builds a footer menu including its hidden items, for the operator's editor.
    pub fn with_hidden_items(menu: &MenuRow) -> FooterMenu {
        FooterMenu {
            items: menu.items.iter().map(FooterItem::from).collect(),
            ..FooterMenu::from(menu)
        }
    }
}

impl From<&ItemRow> for FooterItem {
    fn from(item: &ItemRow) -> FooterItem {
        FooterItem {
            id: item.id,
            menu_id: item.menu_id,
            label: item.label.clone(),
            url: item.url.clone(),
            is_visible: item.is_visible,
            display_order: item.display_order,
        }
    }
}
