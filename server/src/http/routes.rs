//! The table of all HTTP routes: method, path, audience, body limit and handler. Any other path
//! answers 404 (decision G-1).

use std::collections::BTreeMap;
use std::future::ready;

use actix_web::guard::{Any, Get, Head};
use actix_web::http::Method;
use actix_web::web::{self, PayloadConfig, ServiceConfig};
use actix_web::{Resource, Route as ActixRoute};
use domain::access::Audience;
use domain::access::Audience::{
    Buyer, Club, Machine, Node, Operator, Owner, ProvenOperator, ProvenOwner, ProvenSeller, Public,
    Seller, SignedIn,
};

use crate::api::error::Problem;
use crate::state::State;

pub mod body;
pub mod buyer;
pub mod club;
mod guard;
pub mod machine;
pub mod operator;

/// One HTTP method of one path.
pub struct Route {
    pub method: Verb,
    pub path: &'static str,
    pub audience: Audience,
    /// Largest accepted request body, in bytes.
    pub body_max: usize,
    handler: fn() -> ActixRoute,
}

/// An HTTP method that a route can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// Body limit of a JSON request that needs no larger limit, in bytes.
pub const FORM_BODY_MAX: usize = 16 * 1024;
/// Body limit of a Stripe webhook event, in bytes (decision B-1).
const WEBHOOK_BODY_MAX: usize = 256 * 1024;
/// Body limit of a picture in base64 inside JSON, in bytes: 3,000,000 bytes become 4,000,000
/// characters (decision G-8). The limit is twice as large, so that a picture that is too large gets
/// the sentence about its size.
const PICTURE_BODY_MAX: usize = 8_400_000;
/// Body limit of a CSV table with a season's fixtures, in bytes.
const FIXTURES_BODY_MAX: usize = 1024 * 1024;
/// Body limit of a browser's diagnostic message, in bytes (decision B-23).
const DIAGNOSTICS_BODY_MAX: usize = 2 * 1024;
/// Body limit of CSP violation reports, in bytes: browsers send several at once, each with the
/// whole policy.
const CSP_REPORT_BODY_MAX: usize = 16 * 1024;

macro_rules! routes {
    ($table:ident $($method:ident $path:literal $audience:ident $body_max:ident => $handler:path;)*) => {
        pub const $table: &[Route] = &[$(Route {
            method: Verb::$method,
            path: $path,
            audience: $audience,
            body_max: $body_max,
            handler: || Verb::$method.route().to($handler),
        }),*];
    };
}

// Routes of the public listener, for browsers, Stripe and other clients.
routes! { ROUTES
    Get    "/api/config"                            Public   FORM_BODY_MAX => buyer::site::show_site_config;
    Get    "/api/maintenance-mode"                  Public   FORM_BODY_MAX => buyer::site::show_maintenance_mode;
    Get    "/api/footer-menus"                      Public   FORM_BODY_MAX => buyer::site::list_footer_menus;
    Get    "/api/terms/{kind}"                      Public   FORM_BODY_MAX => buyer::site::show_terms;
    Get    "/api/qr.svg"                            Public   FORM_BODY_MAX => buyer::site::serve_qr_code;
    Post   "/api/debug-log"                         Public   DIAGNOSTICS_BODY_MAX => buyer::browser_reports::receive_diagnostics;
    Post   "/api/track"                             Public   DIAGNOSTICS_BODY_MAX => buyer::browser_reports::track_offer_event;
    Post   "/api/policy-report"                     Public   CSP_REPORT_BODY_MAX => buyer::browser_reports::receive_csp_reports;

    Get    "/api/draws/active"                      Public   FORM_BODY_MAX => buyer::draws::list_active_draws;
    Get    "/api/draws/awaiting-results"            Public   FORM_BODY_MAX => buyer::draws::list_draws_awaiting_results;
    Get    "/api/draws/completed"                   Public   FORM_BODY_MAX => buyer::draws::list_completed_draws;
    Get    "/api/draws/{draw}"                      Public   FORM_BODY_MAX => buyer::draws::show;
    Get    "/api/draws/{draw}/tickets"              Public   FORM_BODY_MAX => buyer::tickets::list;
    Get    "/api/draws/{draw}/available-tickets"    Public   FORM_BODY_MAX => buyer::tickets::list_available_numbers;
    Get    "/api/draws/{draw}/calendar.ics"         Public   FORM_BODY_MAX => buyer::calendar::serve_calendar_file;
    Get    "/api/meta/draw/{draw}"                  Public   FORM_BODY_MAX => buyer::draws::show_draw_meta;
    Get    "/api/public/draws/{draw}/proof"         Public   FORM_BODY_MAX => buyer::proof::show;
    Get    "/api/public/widget/draw/{draw}"         Public   FORM_BODY_MAX => machine::widgets::show_draw_widget;
    Get    "/api/public/widget/bundle/{slug}/{bundle}" Public FORM_BODY_MAX => machine::widgets::show_offer_widget;
    Get    "/api/public/widget/{type}/{id}"         Public   FORM_BODY_MAX => machine::widgets::show_widget_by_type;

    Get    "/api/clubs/public-list"                 Public   FORM_BODY_MAX => buyer::clubs::list_public_clubs;
    Get    "/api/clubs/slug/{slug}"                 Public   FORM_BODY_MAX => buyer::clubs::show_club_by_slug;
    Get    "/api/clubs/{club}"                      Public   FORM_BODY_MAX => buyer::clubs::show;
    Get    "/api/clubs/{club}/meta"                 Public   FORM_BODY_MAX => buyer::clubs::show_club_meta;
    Get    "/api/clubs/{club}/draws"                Public   FORM_BODY_MAX => buyer::clubs::list_club_draws;
    Get    "/api/clubs/{club}/bundles"              Public   FORM_BODY_MAX => buyer::offers::list;
    Get    "/api/clubs/{club}/bundles/{bundle}"     Public   FORM_BODY_MAX => buyer::offers::show;

    Post   "/api/create-payment-intent"             Public   FORM_BODY_MAX => buyer::payments::create;
    Post   "/api/cart/create-payment-intent"        Public   FORM_BODY_MAX => buyer::payments::create_for_cart;
    Post   "/api/validate-purchase"                 Public   FORM_BODY_MAX => buyer::validation::check_purchase;
    Post   "/api/complete-card-payment"             Public   FORM_BODY_MAX => buyer::completion::complete_card_payment;
    Post   "/api/purchase-tickets"                  Public   FORM_BODY_MAX => buyer::completion::complete_purchase;
    Post   "/api/purchase-cart"                     Public   FORM_BODY_MAX => buyer::completion::complete_purchase;
    Post   "/api/cart/complete-card-payment"        Public   FORM_BODY_MAX => buyer::confirmation::confirm_cart_card;
    Post   "/api/process-wallet-payment"            Public   FORM_BODY_MAX => buyer::confirmation::confirm_with_wallet_method;
    Post   "/api/process-purchase"                  Public   FORM_BODY_MAX => buyer::confirmation::confirm_with_wallet_token;
    Post   "/api/payments/confirm-wallet"           Public   FORM_BODY_MAX => buyer::confirmation::confirm_by_client_secret;
    Post   "/api/resend-confirmation"               Public   FORM_BODY_MAX => buyer::orders::resend_confirmation_mail;
    Get    "/api/orders/{token}"                    Buyer    FORM_BODY_MAX => buyer::orders::show;
    Get    "/api/orders/{token}/picture/{draw}"     Buyer    FORM_BODY_MAX => buyer::own_order::serve_ticket_picture;
    Get    "/api/orders/{token}/reminder"           Buyer    FORM_BODY_MAX => buyer::own_order::show_reminder;
    Put    "/api/orders/{token}/reminder"           Buyer    FORM_BODY_MAX => buyer::own_order::set_reminder;
    Post   "/api/my-tickets"                        Public   FORM_BODY_MAX => buyer::my_tickets::request_link;
    Post   "/api/my-tickets/look"                   Public   FORM_BODY_MAX => buyer::my_tickets::open_link;
    Delete "/api/reservations/{order}"              Buyer    FORM_BODY_MAX => buyer::reservations::release_reservation;
    Post   "/api/reservations/{order}/extend"       Buyer    FORM_BODY_MAX => buyer::reservations::extend;

    Post   "/api/clubs/login"                       Public   FORM_BODY_MAX => club::session::login;
    Post   "/api/auth/logout"                       Public   FORM_BODY_MAX => club::session::logout;
    Post   "/api/auth/reauthenticate"               SignedIn FORM_BODY_MAX => club::session::reauthenticate;
    Post   "/api/clubs/logout"                      Public   FORM_BODY_MAX => club::session::logout;
    Post   "/api/admin/logout"                      Public   FORM_BODY_MAX => club::session::logout;
    Get    "/api/admin/whoami"                      SignedIn FORM_BODY_MAX => club::session::whoami;
    Get    "/api/settings/club-registration"        Public   FORM_BODY_MAX => club::registration::show_registration_status;
    Get    "/api/clubs/slug-preview"                Public   FORM_BODY_MAX => club::registration::preview_slug;
    Post   "/api/clubs/register"                    Public   FORM_BODY_MAX => club::registration::register;
    Post   "/api/waitlist"                          Public   FORM_BODY_MAX => club::registration::join_waitlist;
    Post   "/api/clubs/reset-password"              Public   FORM_BODY_MAX => club::recovery::request_reset;
    Post   "/api/clubs/reset-password-confirm"      Public   FORM_BODY_MAX => club::recovery::confirm_reset;
    Post   "/api/clubs/verify-email"                Public   FORM_BODY_MAX => club::verification::confirm_email;
    Post   "/api/clubs/{club}/verification-email"   Owner    FORM_BODY_MAX => club::verification::resend_confirmation_link;
    Get    "/api/clubs/{club}/users"                Owner    FORM_BODY_MAX => club::people::list;
    Post   "/api/clubs/{club}/users"                ProvenOwner FORM_BODY_MAX => club::people::invite;
    Patch  "/api/clubs/{club}/users/{user}"         ProvenOwner FORM_BODY_MAX => club::people::change;
    Delete "/api/clubs/{club}/users/{user}"         ProvenOwner FORM_BODY_MAX => club::people::remove;
    Post   "/api/terms/accept"                      Seller   FORM_BODY_MAX => club::agreement::accept_service_terms;
    Post   "/api/draws"                             Seller   FORM_BODY_MAX => club::draws::create;
    Post   "/api/draws/check"                       Seller   FORM_BODY_MAX => club::draws::check;
    Patch  "/api/draws/{draw}"                      Seller   FORM_BODY_MAX => club::editing::edit_draw;
    Post   "/api/draws/{draw}/cancel"               ProvenSeller FORM_BODY_MAX => club::editing::cancel_unsold_draw;
    Patch  "/api/draws/{draw}/archive"              Seller   FORM_BODY_MAX => club::editing::archive_draw;
    Get    "/api/clubs/{club}/draw-template"        Club     FORM_BODY_MAX => club::draws::show_last_draw_template;
    Post   "/api/draws/{draw}/results"              ProvenSeller FORM_BODY_MAX => club::results::enter_result;
    Post   "/api/draws/{draw}/notify-winners"       Seller   FORM_BODY_MAX => club::results::notify_winner;
    Patch  "/api/clubs/{club}/home-page"            Owner    PICTURE_BODY_MAX => club::page::save;
    Get    "/api/clubs/{club}/stripe-connect/status" Club    FORM_BODY_MAX => club::connect::show_connect_status;
    Post   "/api/clubs/{club}/stripe-connect"       ProvenOwner FORM_BODY_MAX => club::connect::start_onboarding;
    Get    "/api/admin/clubs/{slug}/bundles"        Club     FORM_BODY_MAX => club::offers::list;
    Post   "/api/admin/clubs/{slug}/bundles"        Seller   FORM_BODY_MAX => club::offers::create;
    Get    "/api/admin/clubs/{slug}/bundles/{bundle}" Club   FORM_BODY_MAX => club::offers::show;
    Put    "/api/admin/clubs/{slug}/bundles/{bundle}" Seller FORM_BODY_MAX => club::offers::change;
    Post   "/api/admin/clubs/{slug}/bundles/{bundle}/archive" Seller FORM_BODY_MAX => club::offers::archive;
    Post   "/api/uploads/bundle-image"              Seller   PICTURE_BODY_MAX => club::uploads::upload_image;
    Delete "/api/uploads/bundle-image"              Seller   FORM_BODY_MAX => club::uploads::remove_image;
    Get    "/uploads/{key}"                         Public   FORM_BODY_MAX => club::uploads::show;
    Get    "/api/stripe-debug"                      Club     FORM_BODY_MAX => club::payments::list_transactions;
    Get    "/api/stripe-debug/sums"                 Club     FORM_BODY_MAX => club::payments::show_payment_sums;
    Get    "/api/admin/payment-integrity-audit"     Club     FORM_BODY_MAX => club::payments::show_payment_integrity;
    Get    "/api/admin/payment-recovery-report"     Seller   FORM_BODY_MAX => club::payments::download_failed_payments;
    Get    "/api/draws/{draw}/tickets/csv"          Seller   FORM_BODY_MAX => club::reports::download_tickets_csv;
    Get    "/api/draws/{draw}/report"               Seller   FORM_BODY_MAX => club::reports::download_draw_report;
    Get    "/api/draws/{draw}/poster"               Club     FORM_BODY_MAX => club::reports::download_poster;
    Get    "/api/draws/{draw}/winners"              Club     FORM_BODY_MAX => club::winners::list;
    Put    "/api/draws/{draw}/winner-bank"          ProvenOwner FORM_BODY_MAX => club::winners::enter_bank_details;
    Delete "/api/draws/{draw}/winner-bank/proposal" ProvenOwner FORM_BODY_MAX => club::winners::decline_bank_details;
    Post   "/api/draws/{draw}/winner-bank/reveal"   ProvenOwner FORM_BODY_MAX => club::winners::reveal_bank_details;
    Post   "/api/claims/look"                       Public   FORM_BODY_MAX => club::claims::show;
    Post   "/api/claims"                            Public   FORM_BODY_MAX => club::claims::submit_bank_details;
    Get    "/api/clubs/{club}/stats"                Club     FORM_BODY_MAX => club::financials::show_club_stats;
    Get    "/api/clubs/{club}/to-do"                Club     FORM_BODY_MAX => club::dashboard::list_tasks;
    Get    "/api/clubs/{club}/pace"                 Club     FORM_BODY_MAX => club::dashboard::list_pace;
    Get    "/api/clubs/{club}/buyers"               Seller   FORM_BODY_MAX => club::dashboard::search_buyers;
    Post   "/api/clubs/{club}/orders/{order}/resend" Seller  FORM_BODY_MAX => club::dashboard::resend_tickets;
    Get    "/api/clubs/{club}/activity"             Owner    FORM_BODY_MAX => club::dashboard::list_activity;
    Get    "/api/draws/{draw}/sales"                Club     FORM_BODY_MAX => club::dashboard::show_sales;
    Get    "/api/draws/{draw}/payouts"              Club     FORM_BODY_MAX => club::payouts::list;
    Post   "/api/draws/{draw}/payouts"              ProvenOwner FORM_BODY_MAX => club::payouts::record_payout;
    Patch  "/api/payouts/{payout}"                  ProvenOwner FORM_BODY_MAX => club::payouts::settle_payout;
    Get    "/api/draws/{draw}/financials"           Club     FORM_BODY_MAX => club::financials::show;
    Post   "/api/clubs/{club}/fixtures"             Seller   FIXTURES_BODY_MAX => club::fixtures::import;

    Post   "/api/admin/totp/enrol"                  SignedIn FORM_BODY_MAX => operator::second_factor::enrol_authenticator;
    Post   "/api/admin/totp/verify"                 SignedIn FORM_BODY_MAX => operator::second_factor::finish_sign_in;
    Post   "/api/admin/reauthenticate"              Operator FORM_BODY_MAX => operator::second_factor::reauthenticate;
    Get    "/api/admin/payment-anomalies"           Operator FORM_BODY_MAX => operator::anomalies::list;
    Get    "/api/admin/payment-anomalies/stats"     Operator FORM_BODY_MAX => operator::anomalies::show_anomaly_stats;
    Post   "/api/admin/payment-anomalies/check"     Operator FORM_BODY_MAX => operator::anomalies::scan_last_hour;
    Post   "/api/admin/payment-anomalies/scan-historical" Operator FORM_BODY_MAX => operator::anomalies::scan_past_hours;
    Post   "/api/admin/payment-anomalies/{anomaly}/resolve" ProvenOperator FORM_BODY_MAX => operator::anomalies::resolve;
    Post   "/api/admin/payment-anomalies/{anomaly}/refund" ProvenOperator FORM_BODY_MAX => operator::anomalies::refund;
    Post   "/api/admin/payment-anomalies/resolve"   ProvenOperator FORM_BODY_MAX => operator::missing_tickets::allocate_missing_tickets;
    Get    "/api/admin/payment-anomalies/{anomaly}/tickets" Operator FORM_BODY_MAX => operator::missing_tickets::show_missing_tickets;
    Get    "/api/admin/orphaned-tickets"            Operator FORM_BODY_MAX => operator::orphans::list;
    Patch  "/api/admin/tickets/{ticket}/recover"    ProvenOperator FORM_BODY_MAX => operator::orphans::recover_orphaned_tickets;
    Get    "/api/admin/orders/{order}"              Operator FORM_BODY_MAX => operator::orders::show;
    Post   "/api/admin/orders/{order}/refund"       ProvenOperator FORM_BODY_MAX => operator::orders::refund;
    Get    "/api/admin/draws"                       Operator FORM_BODY_MAX => operator::draws::list;
    Get    "/api/admin/draws/{draw}/report"        Operator FORM_BODY_MAX => operator::reports::download_draw_report;
    Post   "/api/admin/draws/{draw}/remind"         Operator FORM_BODY_MAX => operator::draws::remind_club_of_result;
    Post   "/api/admin/close-expired-draws"         Operator FORM_BODY_MAX => operator::draws::close_expired_draws;
    Post   "/api/draws/{draw}/undo-results"         ProvenOperator FORM_BODY_MAX => operator::draws::undo_draw_result;
    Get    "/api/admin/draws/{draw}/cancellation"   Operator FORM_BODY_MAX => operator::draws::show_cancellation;
    Post   "/api/admin/draws/{draw}/cancel"         ProvenOperator FORM_BODY_MAX => operator::draws::cancel;
    Get    "/api/admin/health"                      Operator FORM_BODY_MAX => operator::health::show;
    Get    "/api/admin/configuration"               Operator FORM_BODY_MAX => operator::configuration::show;
    Get    "/api/admin/clubs"                       Operator FORM_BODY_MAX => operator::clubs::list;
    Get    "/api/admin/clubs/archived"              Operator FORM_BODY_MAX => operator::clubs::list_archived_clubs;
    Post   "/api/admin/clubs/{club}/archive"        Operator FORM_BODY_MAX => operator::clubs::archive;
    Post   "/api/admin/clubs/{club}/unarchive"      Operator FORM_BODY_MAX => operator::clubs::unarchive;
    Get    "/api/admin/stripe-accounts"             Operator FORM_BODY_MAX => operator::clubs::list_stripe_accounts;
    Get    "/api/admin/waitlist"                    Operator FORM_BODY_MAX => operator::waitlist::list;
    Delete "/api/admin/waitlist/{entry}"            Operator FORM_BODY_MAX => operator::waitlist::remove;
    Post   "/api/admin/maintenance-mode"            ProvenOperator FORM_BODY_MAX => operator::settings::set_maintenance_mode;
    Get    "/api/admin/in-flight"                   Operator FORM_BODY_MAX => operator::settings::show_in_flight_counts;
    Get    "/api/admin/system-settings"             Operator FORM_BODY_MAX => operator::settings::list;
    Get    "/api/admin/system-settings/{key}"       Operator FORM_BODY_MAX => operator::settings::show;
    Post   "/api/admin/system-settings/{key}"       ProvenOperator FORM_BODY_MAX => operator::settings::change;
    Get    "/api/admin/footer-menus"                Operator FORM_BODY_MAX => operator::footers::list;
    Post   "/api/admin/footer-menus"                Operator FORM_BODY_MAX => operator::footers::create_menu;
    Patch  "/api/admin/footer-menus/{menu}"         Operator FORM_BODY_MAX => operator::footers::change_menu;
    Delete "/api/admin/footer-menus/{menu}"         Operator FORM_BODY_MAX => operator::footers::remove_menu;
    Post   "/api/admin/footer-menu-items"           Operator FORM_BODY_MAX => operator::footers::create_item;
    Patch  "/api/admin/footer-menu-items/{item}"    Operator FORM_BODY_MAX => operator::footers::change_item;
    Delete "/api/admin/footer-menu-items/{item}"    Operator FORM_BODY_MAX => operator::footers::remove_item;
    Get    "/api/admin/analytics"                   Operator FORM_BODY_MAX => operator::overview::show_analytics;
    Get    "/api/admin/series"                      Operator FORM_BODY_MAX => operator::overview::show_time_series;
    Get    "/api/admin/platform-fees"               Operator FORM_BODY_MAX => operator::fees::show;
    Get    "/api/admin/platform-fees-report"       Operator FORM_BODY_MAX => operator::reports::download_platform_fees;
    Get    "/api/admin/audit"                       Operator FORM_BODY_MAX => operator::audit::list_audit_entries;
    Get    "/api/admin/search"                      Operator FORM_BODY_MAX => operator::search::search_everything;

    Post   "/api/stripe/webhook"                    Machine  WEBHOOK_BODY_MAX => machine::webhooks::receive_event;
    Post   "/api/webhooks/stripe"                   Machine  WEBHOOK_BODY_MAX => machine::webhooks::receive_event;
    Get    "/api/health/live"                       Public   FORM_BODY_MAX => machine::health::show_liveness;
    Get    "/api/health/ready"                      Public   FORM_BODY_MAX => machine::health::show_readiness;
    Get    "/api/health/integrity"                  Public   FORM_BODY_MAX => machine::health::show_integrity;
    Get    "/api/openapi.json"                      Public   FORM_BODY_MAX => machine::openapi::document;
    Get    "/api/docs"                              Public   FORM_BODY_MAX => machine::openapi::serve_html_docs;
    Get    "/og/site"                               Public   FORM_BODY_MAX => machine::cards::serve_site_card;
    Get    "/og/draw/{draw}"                        Public   FORM_BODY_MAX => machine::cards::serve_draw_card;
    Get    "/og/draw/{draw}/story"                  Public   FORM_BODY_MAX => machine::cards::serve_draw_story;
    Get    "/og/club/{slug}"                        Public   FORM_BODY_MAX => machine::cards::serve_club_card;
    Get    "/og/offer/{slug}/{bundle}"              Public   FORM_BODY_MAX => machine::cards::serve_offer_card;
    Get    "/sitemap.xml"                           Public   FORM_BODY_MAX => machine::search::serve_sitemap;
    Get    "/robots.txt"                            Public   FORM_BODY_MAX => machine::search::serve_robots_txt;
    Get    "/manifest.webmanifest"                  Public   FORM_BODY_MAX => machine::device::serve_manifest;
    Get    "/favicon.ico"                           Public   FORM_BODY_MAX => machine::device::serve_favicon;
    Get    "/apple-touch-icon.png"                  Public   FORM_BODY_MAX => machine::device::serve_touch_icon;
    Get    "/sw.js"                                 Public   FORM_BODY_MAX => machine::device::serve_service_worker;
    Get    "/ws"                                    Public   FORM_BODY_MAX => crate::live::open_socket;
}

// Routes for other nodes, served only on the node listener's separate address.
routes! { NODE_ROUTES
    Post   "/nodes/draws/{draw}"                    Node     FORM_BODY_MAX => machine::nodes::execute_draw_request;
}

impl Verb {
    pub fn method(self) -> Method {
        match self {
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Put => Method::PUT,
            Verb::Patch => Method::PATCH,
            Verb::Delete => Method::DELETE,
        }
    }

    /// Builds the actix route of a method. GET also answers HEAD, because crawlers for share cards
    /// send HEAD first.
    fn route(self) -> ActixRoute {
        match self {
            Verb::Get => ActixRoute::new().guard(Any(Get()).or(Head())),
            verb => ActixRoute::new().method(verb.method()),
        }
    }
}

/// Registers every public route, and answers 404 for every other path under `/api/`. The caller
/// wraps the application in [`crate::http::edge::edge_middleware`].
pub fn configure(cfg: &mut ServiceConfig, state: web::Data<State>) {
    cfg.app_data(state);
    // One actix scope per first path segment, so that a request is matched against few patterns.
    let mut scopes: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for path in distinct_paths(ROUTES) {
        match path.strip_prefix(API_PREFIX) {
            Some(call) => scopes.entry(first_segment(call)).or_default().push(path),
            None => drop(cfg.service(path_resource(ROUTES, path, path))),
        }
    }
    let calls = scopes
        .into_iter()
        .fold(web::scope(API_PREFIX), |calls, (word, paths)| {
            let place = |path: &'static str| {
                path_resource(ROUTES, &path[API_PREFIX.len() + word.len()..], path)
            };
            let scope = paths
                .into_iter()
                .fold(web::scope(word), |scope, path| scope.service(place(path)));
            calls.service(scope.default_service(web::to(unknown_path)))
        });
    cfg.service(calls.default_service(web::to(unknown_path)));
}

/// Registers the routes for other nodes, which are served on a separate address.
pub fn configure_for_nodes(cfg: &mut ServiceConfig, state: web::Data<State>) {
    cfg.app_data(state);
    for path in distinct_paths(NODE_ROUTES) {
        cfg.service(path_resource(NODE_ROUTES, path, path));
    }
}

/// Path prefix of all API routes.
const API_PREFIX: &str = "/api";

/// Returns the distinct paths of a route table, literal segments before variables, because actix
/// takes the first match.
fn distinct_paths(table: &'static [Route]) -> Vec<&'static str> {
    let mut paths: Vec<&'static str> = table.iter().map(|route| route.path).collect();
    paths.sort_by_key(|path| path.replace('{', "\u{7f}"));
    paths.dedup();
    paths
}

/// Returns the first segment of a path: `/draws` for `/draws/{id}/tickets`.
fn first_segment(call: &str) -> &str {
    let end = call.bytes().skip(1).position(|byte| byte == b'/');
    end.map_or(call, |end| &call[..=end])
}

/// Builds the actix resource of one path, with all its methods. `place` is the same path without
/// the prefix of its actix scope.
fn path_resource(table: &'static [Route], place: &str, path: &str) -> Resource {
    let here: Vec<&'static Route> = table.iter().filter(|route| route.path == path).collect();
    let body_max = here
        .iter()
        .map(|route| route.body_max)
        .max()
        .unwrap_or(FORM_BODY_MAX);
    let allowed = allow_header(&here);
    let resource = web::resource(place).app_data(PayloadConfig::new(body_max));
    let resource = here.into_iter().fold(resource, |resource, route| {
        resource.route(guard::guarded_route(route))
    });
    resource.default_service(web::to(move || ready(method_not_allowed(allowed.clone()))))
}

async fn unknown_path() -> Result<actix_web::HttpResponse, Problem> {
    Err(Problem::not_found())
}

/// Returns the route for all paths outside the API, which serves the HTML pages, built files and
/// the 404 page.
pub fn pages_route() -> ActixRoute {
    let page = machine::shell::serve_page;
    web::to(page)
}

/// Builds the `Allow` header of a 405 response, which RFC 9110 requires. It lists the methods of
/// the routes of one path.
fn allow_header(here: &[&Route]) -> String {
    let reads = here
        .iter()
        .any(|route| route.method == Verb::Get)
        .then_some("HEAD");
    let methods = here.iter().map(|route| route.method.method().to_string());
    methods
        .chain(reads.map(str::to_string))
        .collect::<Vec<_>>()
        .join(", ")
}

fn method_not_allowed(allowed: String) -> Result<actix_web::HttpResponse, Problem> {
    let status = actix_web::http::StatusCode::METHOD_NOT_ALLOWED;
    Err(Problem::new(
        status,
        "method-not-allowed",
        "This address does not take this kind of call.",
    )
    .with_allowed_methods(allowed))
}
