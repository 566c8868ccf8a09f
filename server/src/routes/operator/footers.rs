//! The public footer's menus and their items (C:239, decision G-10).

use actix_web::{HttpResponse, web};
use persistence::records::footers::{ItemForm, MenuForm};
use serde_json::json;

use crate::error::Problem;
use crate::form::{Findings, optional};
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::console::system::{WantedItem, WantedMenu};
use crate::wire::footer::{FooterItem, FooterMenu};

const WORDS_MAX: usize = 100;
const URL_MAX: usize = 500;
const ORDER_MAX: i64 = 9_999;

/// All of them, hidden ones too.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let menus = state.records.footer_menus().await?;
    Ok(HttpResponse::Ok().json(menus.iter().map(FooterMenu::whole).collect::<Vec<_>>()))
}

pub async fn create_menu(
    state: web::Data<State>,
    caller: Caller,
    body: Body<WantedMenu>,
) -> Result<HttpResponse, Problem> {
    let menu = menu_form(&body.0, true)?;
    let id = put_menu(&state, caller, None, &menu, "create-footer-menu").await?;
    Ok(HttpResponse::Created().json(shown_menu(&state, id).await?))
}

pub async fn change_menu(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<WantedMenu>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| menu_unknown())?;
    let menu = menu_form(&body.0, false)?;
    let id = put_menu(&state, caller, Some(id), &menu, "change-footer-menu").await?;
    Ok(HttpResponse::Ok().json(shown_menu(&state, id).await?))
}

pub async fn remove_menu(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| menu_unknown())?;
    let (actor, object) = (caller.name(), format!("footer-menu:{id}"));
    let entry = caller
        .act(&actor, None, "remove-footer-menu", &object)
        .entry(json!({}));
    let found = state.records.remove_footer_menu(id, entry).await?;
    state.catalogue.reload().await?;
    if found {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(menu_unknown())
    }
}

pub async fn create_item(
    state: web::Data<State>,
    caller: Caller,
    body: Body<WantedItem>,
) -> Result<HttpResponse, Problem> {
    let item = item_form(&body.0, true)?;
    let id = put_item(&state, caller, None, &item, "create-footer-item").await?;
    Ok(HttpResponse::Created().json(shown_item(&state, id).await?))
}

pub async fn change_item(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<WantedItem>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| item_unknown())?;
    let item = item_form(&body.0, false)?;
    let id = put_item(&state, caller, Some(id), &item, "change-footer-item").await?;
    Ok(HttpResponse::Ok().json(shown_item(&state, id).await?))
}

pub async fn remove_item(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| item_unknown())?;
    let (actor, object) = (caller.name(), format!("footer-item:{id}"));
    let entry = caller
        .act(&actor, None, "remove-footer-item", &object)
        .entry(json!({}));
    let found = state.records.remove_footer_item(id, entry).await?;
    state.catalogue.reload().await?;
    if found {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(item_unknown())
    }
}

/// The form of a menu; a new one needs its fields, a changed one only what changes.
fn menu_form(form: &WantedMenu, is_new: bool) -> Result<MenuForm, Problem> {
    let heading = optional(&form.heading);
    let named = heading.is_some() || !is_new && form.heading.is_none();
    let mut findings = Findings::default();
    findings.need("heading", named, "Heading is required");
    findings.need(
        "heading",
        fits(&heading, WORDS_MAX),
        "Must be at most 100 characters",
    );
    findings.need(
        "displayOrder",
        in_order(form.display_order),
        "Display order must be a whole number",
    );
    findings.finish()?;
    Ok(MenuForm {
        heading,
        display_order: order(form.display_order),
        is_visible: form.is_visible,
    })
}

fn item_form(form: &WantedItem, is_new: bool) -> Result<ItemForm, Problem> {
    let (label, url) = (optional(&form.label), optional(&form.url));
    let given = |shown: &Option<String>, sent: &Option<String>| {
        shown.is_some() || !is_new && sent.is_none()
    };
    let mut findings = Findings::default();
    findings.need(
        "menuId",
        form.menu_id.is_some() || !is_new,
        "Menu is required",
    );
    findings.need("label", given(&label, &form.label), "Label is required");
    findings.need(
        "label",
        fits(&label, WORDS_MAX),
        "Must be at most 100 characters",
    );
    findings.need("url", given(&url, &form.url), "URL is required");
    findings.need(
        "url",
        url.as_deref().is_none_or(leads_somewhere_safe) && fits(&url, URL_MAX),
        "The URL must be a path, #, https: or mailto:",
    );
    findings.need(
        "displayOrder",
        in_order(form.display_order),
        "Display order must be a whole number",
    );
    findings.finish()?;
    Ok(ItemForm {
        menu_id: form.menu_id,
        label,
        url,
        display_order: order(form.display_order),
        is_visible: form.is_visible,
    })
}

fn fits(text: &Option<String>, most: usize) -> bool {
    text.as_ref()
        .is_none_or(|text| text.chars().count() <= most)
}

fn in_order(order: Option<i64>) -> bool {
    order.is_none_or(|order| (-ORDER_MAX..=ORDER_MAX).contains(&order))
}

fn order(order: Option<i64>) -> Option<i32> {
    order.and_then(|order| i32::try_from(order).ok())
}

/// No address that runs a script, and none that pretends to be a path.
fn leads_somewhere_safe(url: &str) -> bool {
    let path = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
    let plain = !url
        .chars()
        .any(|letter| letter.is_whitespace() || letter.is_control());
    plain
        && (path
            || url.starts_with('#')
            || url.starts_with("https://")
            || url.starts_with("mailto:"))
}

async fn put_menu(
    state: &State,
    caller: Caller,
    id: Option<i64>,
    menu: &MenuForm,
    action: &str,
) -> Result<i64, Problem> {
    let (actor, object) = (caller.name(), object("footer-menu", id));
    let detail = json!({ "heading": menu.heading, "displayOrder": menu.display_order, "isVisible": menu.is_visible });
    let entry = caller.act(&actor, None, action, &object).entry(detail);
    let id = state
        .records
        .put_footer_menu(id, menu, entry)
        .await?
        .ok_or_else(menu_unknown)?;
    state.catalogue.reload().await?;
    Ok(id)
}

async fn put_item(
    state: &State,
    caller: Caller,
    id: Option<i64>,
    item: &ItemForm,
    action: &str,
) -> Result<i64, Problem> {
    let (actor, object) = (caller.name(), object("footer-item", id));
    let detail = json!({
        "menuId": item.menu_id, "label": item.label, "url": item.url,
        "displayOrder": item.display_order, "isVisible": item.is_visible,
    });
    let entry = caller.act(&actor, None, action, &object).entry(detail);
    let id = state
        .records
        .put_footer_item(id, item, entry)
        .await?
        .ok_or_else(item_unknown)?;
    state.catalogue.reload().await?;
    Ok(id)
}

/// A new row's number is written when it is known.
fn object(kind: &str, id: Option<i64>) -> String {
    id.map_or_else(|| format!("{kind}:"), |id| format!("{kind}:{id}"))
}

async fn shown_menu(state: &State, id: i64) -> Result<FooterMenu, Problem> {
    let menus = state.records.footer_menus().await?;
    menus
        .iter()
        .find(|menu| menu.id == id)
        .map(FooterMenu::whole)
        .ok_or_else(menu_unknown)
}

async fn shown_item(state: &State, id: i64) -> Result<FooterItem, Problem> {
    let menus = state.records.footer_menus().await?;
    let item = menus
        .iter()
        .flat_map(|menu| &menu.items)
        .find(|item| item.id == id);
    item.map(FooterItem::from).ok_or_else(item_unknown)
}

fn menu_unknown() -> Problem {
    Problem::unknown("footer-menu-unknown")
}

fn item_unknown() -> Problem {
    Problem::unknown("footer-item-unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_run_scripts_or_pretend_are_refused() {
        for good in [
            "/terms",
            "#",
            "#live-draws",
            "https://nrl.com/rules",
            "mailto:help@example.com",
            "/",
        ] {
            assert!(leads_somewhere_safe(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//evil.test",
            "/\\evil.test",
            "http://x",
            "https ://x",
        ] {
            assert!(!leads_somewhere_safe(bad), "{bad}");
        }
    }
}
