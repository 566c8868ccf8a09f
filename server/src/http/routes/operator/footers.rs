//! Edits the menus and items of the public footer (decision G-10).

use actix_web::{HttpResponse, web};
use persistence::records::footers::{ItemForm, MenuForm};
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::console::system::{FooterItemForm, FooterMenuForm};
use crate::api::error::Problem;
use crate::api::footer::{FooterItem, FooterMenu};
use crate::api::form::{FormErrors, trimmed_or_none};
use crate::http::routes::body::Body;
use crate::state::State;

const LABEL_CHARS_MAX: usize = 100;
const URL_CHARS_MAX: usize = 500;
const DISPLAY_ORDER_MAX: i64 = 9_999;

/// Lists all menus and items, including hidden ones.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let menus = state.records.footer_menus().await?;
    Ok(HttpResponse::Ok().json(
        menus
            .iter()
            .map(FooterMenu::with_hidden_items)
            .collect::<Vec<_>>(),
    ))
}

/// Handles `POST /api/admin/footer-menus`.
pub async fn create_menu(
    state: web::Data<State>,
    caller: Caller,
    body: Body<FooterMenuForm>,
) -> Result<HttpResponse, Problem> {
    let menu = check_menu_form(&body.0, true)?;
    let id = save_menu(&state, caller, None, &menu, "create-footer-menu").await?;
    Ok(HttpResponse::Created().json(menu_json(&state, id).await?))
}

/// Handles `PATCH /api/admin/footer-menus/{menu}`.
pub async fn change_menu(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<FooterMenuForm>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| unknown_menu_problem())?;
    let menu = check_menu_form(&body.0, false)?;
    let id = save_menu(&state, caller, Some(id), &menu, "change-footer-menu").await?;
    Ok(HttpResponse::Ok().json(menu_json(&state, id).await?))
}

/// Handles `DELETE /api/admin/footer-menus/{menu}`.
pub async fn remove_menu(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| unknown_menu_problem())?;
    let (actor, audit_object) = (caller.audit_name(), format!("footer-menu:{id}"));
    let entry = caller
        .audit_action(&actor, None, "remove-footer-menu", &audit_object)
        .entry(json!({}));
    let found = state.records.remove_footer_menu(id, entry).await?;
    state.catalogue.reload().await?;
    if found {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(unknown_menu_problem())
    }
}

/// Handles `POST /api/admin/footer-menu-items`.
pub async fn create_item(
    state: web::Data<State>,
    caller: Caller,
    body: Body<FooterItemForm>,
) -> Result<HttpResponse, Problem> {
    let item = check_item_form(&body.0, true)?;
    let id = save_item(&state, caller, None, &item, "create-footer-item").await?;
    Ok(HttpResponse::Created().json(item_json(&state, id).await?))
}

/// Handles `PATCH /api/admin/footer-menu-items/{item}`.
pub async fn change_item(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<FooterItemForm>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| unknown_menu_item_problem())?;
    let item = check_item_form(&body.0, false)?;
    let id = save_item(&state, caller, Some(id), &item, "change-footer-item").await?;
    Ok(HttpResponse::Ok().json(item_json(&state, id).await?))
}

/// Handles `DELETE /api/admin/footer-menu-items/{item}`.
pub async fn remove_item(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| unknown_menu_item_problem())?;
    let (actor, audit_object) = (caller.audit_name(), format!("footer-item:{id}"));
    let entry = caller
        .audit_action(&actor, None, "remove-footer-item", &audit_object)
        .entry(json!({}));
    let found = state.records.remove_footer_item(id, entry).await?;
    state.catalogue.reload().await?;
    if found {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(unknown_menu_item_problem())
    }
}

/// Checks the form of a menu. A new menu needs all fields; an edit needs only the changed fields.
fn check_menu_form(form: &FooterMenuForm, is_new: bool) -> Result<MenuForm, Problem> {
    let heading = trimmed_or_none(form.heading.as_deref());
    let has_heading = heading.is_some() || !is_new && form.heading.is_none();
    let mut findings = FormErrors::default();
    findings.require("heading", has_heading, "Heading is required");
    findings.require(
        "heading",
        fits_length(heading.as_deref(), LABEL_CHARS_MAX),
        "Must be at most 100 characters",
    );
    findings.require(
        "displayOrder",
        is_valid_display_order(form.display_order),
        "Display order must be a whole number",
    );
    findings.into_result()?;
    Ok(MenuForm {
        heading,
        display_order: display_order_value(form.display_order),
        is_visible: form.is_visible,
    })
}

fn check_item_form(form: &FooterItemForm, is_new: bool) -> Result<ItemForm, Problem> {
    let (label, url) = (
        trimmed_or_none(form.label.as_deref()),
        trimmed_or_none(form.url.as_deref()),
    );
    let is_present = |shown: &Option<String>, sent: &Option<String>| {
        shown.is_some() || !is_new && sent.is_none()
    };
    let mut findings = FormErrors::default();
    findings.require(
        "menuId",
        form.menu_id.is_some() || !is_new,
        "Menu is required",
    );
    findings.require(
        "label",
        is_present(&label, &form.label),
        "Label is required",
    );
    findings.require(
        "label",
        fits_length(label.as_deref(), LABEL_CHARS_MAX),
        "Must be at most 100 characters",
    );
    findings.require("url", is_present(&url, &form.url), "URL is required");
    findings.require(
        "url",
        url.as_deref().is_none_or(is_safe_link) && fits_length(url.as_deref(), URL_CHARS_MAX),
        "The URL must be a path, #, https: or mailto:",
    );
    findings.require(
        "displayOrder",
        is_valid_display_order(form.display_order),
        "Display order must be a whole number",
    );
    findings.into_result()?;
    Ok(ItemForm {
        menu_id: form.menu_id,
        label,
        url,
        display_order: display_order_value(form.display_order),
        is_visible: form.is_visible,
    })
}

fn fits_length(text: Option<&str>, most: usize) -> bool {
    text.is_none_or(|text| text.chars().count() <= most)
}

fn is_valid_display_order(display_order_value: Option<i64>) -> bool {
    display_order_value.is_none_or(|display_order_value| {
        (-DISPLAY_ORDER_MAX..=DISPLAY_ORDER_MAX).contains(&display_order_value)
    })
}

fn display_order_value(display_order_value: Option<i64>) -> Option<i32> {
    display_order_value.and_then(|display_order_value| i32::try_from(display_order_value).ok())
}

/// Whether a link is safe: neither a script URL nor a URL such as `//host` that looks like a path
/// but leads to another site.
fn is_safe_link(url: &str) -> bool {
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

async fn save_menu(
    state: &State,
    caller: Caller,
    id: Option<i64>,
    menu: &MenuForm,
    action: &str,
) -> Result<i64, Problem> {
    let (actor, audit_object) = (caller.audit_name(), audit_object("footer-menu", id));
    let detail = json!({ "heading": menu.heading, "displayOrder": menu.display_order, "isVisible": menu.is_visible });
    let entry = caller
        .audit_action(&actor, None, action, &audit_object)
        .entry(detail);
    let id = state
        .records
        .put_footer_menu(id, menu, entry)
        .await?
        .ok_or_else(unknown_menu_problem)?;
    state.catalogue.reload().await?;
    Ok(id)
}

async fn save_item(
    state: &State,
    caller: Caller,
    id: Option<i64>,
    item: &ItemForm,
    action: &str,
) -> Result<i64, Problem> {
    let (actor, audit_object) = (caller.audit_name(), audit_object("footer-item", id));
    let detail = json!({
        "menuId": item.menu_id, "label": item.label, "url": item.url,
        "displayOrder": item.display_order, "isVisible": item.is_visible,
    });
    let entry = caller
        .audit_action(&actor, None, action, &audit_object)
        .entry(detail);
    let id = state
        .records
        .put_footer_item(id, item, entry)
        .await?
        .ok_or_else(unknown_menu_item_problem)?;
    state.catalogue.reload().await?;
    Ok(id)
}

/// Builds the audited object of a footer menu or item. For a new row, whose id is unknown, the
/// database layer appends the id.
fn audit_object(kind: &str, id: Option<i64>) -> String {
    id.map_or_else(|| format!("{kind}:"), |id| format!("{kind}:{id}"))
}

async fn menu_json(state: &State, id: i64) -> Result<FooterMenu, Problem> {
    let menus = state.records.footer_menus().await?;
    menus
        .iter()
        .find(|menu| menu.id == id)
        .map(FooterMenu::with_hidden_items)
        .ok_or_else(unknown_menu_problem)
}

async fn item_json(state: &State, id: i64) -> Result<FooterItem, Problem> {
    let menus = state.records.footer_menus().await?;
    let item = menus
        .iter()
        .flat_map(|menu| &menu.items)
        .find(|item| item.id == id);
    item.map(FooterItem::from)
        .ok_or_else(unknown_menu_item_problem)
}

fn unknown_menu_problem() -> Problem {
    Problem::unknown_object("footer-menu-unknown")
}

fn unknown_menu_item_problem() -> Problem {
    Problem::unknown_object("footer-item-unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_protocol_relative_urls_are_refused() {
        for good in [
            "/terms",
            "#",
            "#live-draws",
            "https://nrl.com/rules",
            "mailto:help@example.com",
            "/",
        ] {
            assert!(is_safe_link(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//evil.test",
            "/\\evil.test",
            "http://x",
            "https ://x",
        ] {
            assert!(!is_safe_link(bad), "{bad}");
        }
    }
}
