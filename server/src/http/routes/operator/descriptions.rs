//! `OpenAPI` summaries of the operator routes.

use crate::api::console::anomaly::{
    Anomaly, AnomalyStats, MissingTicket, MissingTicketResolved, PaidTickets, Resolution, ScanForm,
    ScanResult,
};
use crate::api::console::audit::AuditTrail;
use crate::api::console::club::{ConsoleClub, StripeAccount, WaitlistEntry};
use crate::api::console::draw::{
    Cancellation, ClubReminded, ConsoleDraw, DrawsClosed, ResultUndone, SearchHit,
};
use crate::api::console::health::ConsoleHealth;
use crate::api::console::money::{Analytics, PlatformFees, Series};
use crate::api::console::order::{
    ConsoleOrder, OrderRefunded, OrphanedTicket, Reason, TicketRecoveryForm, TicketsRecovered,
};
use crate::api::console::system::{
    Configuration, FooterItemForm, FooterMenuForm, InFlight, Maintenance, Setting, SettingForm,
};
use crate::api::footer::{FooterItem, FooterMenu};
use crate::api::session::{Enrolment, Reauthenticated, SecondFactorCode, Whoami};
use crate::http::openapi::description::describe;
use crate::http::routes::operator::settings::MaintenanceForm;

describe! {
    Post "/api/admin/totp/enrol" "The secret for enrolling an authenticator app. It stays the same until a code is verified." -> Enrolment, refuses 409;
    Post "/api/admin/totp/verify" "Finishes an operator's sign-in with a code." takes SecondFactorCode -> Whoami, refuses 429;
    Post "/api/admin/reauthenticate" "Verifies a code again, for irreversible actions." takes SecondFactorCode -> Reauthenticated, refuses 429;
    Get "/api/admin/payment-anomalies" "Payment anomalies, newest first." with(status: string, r#type: string) -> [Anomaly], refuses 400;
    Get "/api/admin/payment-anomalies/stats" "Numbers of anomalies." -> AnomalyStats;
    Post "/api/admin/payment-anomalies/check" "Compares the last hour with the payment provider and repairs what it can." -> ScanResult;
    Post "/api/admin/payment-anomalies/scan-historical" "Compares the last hours with the payment provider and repairs what it can." takes ScanForm -> ScanResult;
    Post "/api/admin/payment-anomalies/{anomaly}/resolve" "Closes an anomaly, with a reason." takes Resolution -> Anomaly, refuses 409;
    Post "/api/admin/payment-anomalies/{anomaly}/refund" "Refunds the payment of an anomaly and resolves the anomaly." takes Reason -> Anomaly, refuses 409;
    Post "/api/admin/payment-anomalies/resolve" "Allocates tickets to a payment without tickets." takes MissingTicket -> MissingTicketResolved, refuses 404 409;
    Get "/api/admin/payment-anomalies/{anomaly}/tickets" "The tickets that the payment of an anomaly was made for." -> PaidTickets, refuses 404 409;
    Get "/api/admin/orphaned-tickets" "Paid tickets without a contact address." -> [OrphanedTicket];
    Patch "/api/admin/tickets/{ticket}/recover" "Assigns a buyer to tickets without a contact address." takes TicketRecoveryForm -> TicketsRecovered, refuses 409 429;
    Get "/api/admin/orders/{order}" "One order." -> ConsoleOrder;
    Post "/api/admin/orders/{order}/refund" "Voids the tickets and refunds the whole payment." takes Reason -> OrderRefunded, refuses 409;
    Get "/api/admin/draws" "All draws with their money, the newest kick-off first." -> [ConsoleDraw];
    Get "/api/admin/draws/{draw}/report" "A draw's sold tickets with their buyers and sums, as an A4 PDF." -> "application/pdf";
    Post "/api/admin/draws/{draw}/remind" "Mails the club that a result is due, at most once an hour." -> ClubReminded, refuses 409;
    Post "/api/admin/close-expired-draws" "Closes every draw whose kick-off has passed." -> DrawsClosed, refuses 409;
    Post "/api/draws/{draw}/undo-results" "Undoes a result." takes Reason -> ResultUndone, refuses 409;
    Get "/api/admin/draws/{draw}/cancellation" "What cancelling a draw would refund, or the progress of the cancellation." -> Cancellation;
    Post "/api/admin/draws/{draw}/cancel" "Cancels a draw and refunds every buyer." takes Reason -> Cancellation, refuses 409;
    Get "/api/admin/health" "Health of the service." -> ConsoleHealth;
    Get "/api/admin/configuration" "The configuration in effect." -> Configuration;
    Get "/api/admin/clubs" "All clubs that are not archived." -> [ConsoleClub];
    Get "/api/admin/clubs/archived" "The archived clubs." -> [ConsoleClub];
    Post "/api/admin/clubs/{club}/archive" "Hides a club and ends its new sales." -> ConsoleClub;
    Post "/api/admin/clubs/{club}/unarchive" "Restores an archived club." -> ConsoleClub;
    Get "/api/admin/stripe-accounts" "The clubs' Stripe accounts." -> [StripeAccount];
    Get "/api/admin/waitlist" "Clubs on the waitlist." -> [WaitlistEntry];
    Delete "/api/admin/waitlist/{entry}" "Removes a club from the waitlist." -> ();
    Post "/api/admin/maintenance-mode" "Turns maintenance mode on or off. It refuses new payments." takes MaintenanceForm -> Maintenance;
    Get "/api/admin/in-flight" "Reservations and payments in progress." -> InFlight;
    Get "/api/admin/system-settings" "The settings that were ever set." -> [Setting];
    Get "/api/admin/system-settings/{key}" "One setting." -> Setting;
    Post "/api/admin/system-settings/{key}" "Changes a setting." takes SettingForm -> Setting, refuses 409;
    Get "/api/admin/footer-menus" "All footer menus with all items." -> [FooterMenu];
    Post "/api/admin/footer-menus" "Creates a footer menu." takes FooterMenuForm -> (201 FooterMenu);
    Patch "/api/admin/footer-menus/{menu}" "Changes a footer menu." takes FooterMenuForm -> FooterMenu;
    Delete "/api/admin/footer-menus/{menu}" "Removes a footer menu with its items." -> ();
    Post "/api/admin/footer-menu-items" "Creates a footer item." takes FooterItemForm -> (201 FooterItem), refuses 404;
    Patch "/api/admin/footer-menu-items/{item}" "Changes a footer item." takes FooterItemForm -> FooterItem;
    Delete "/api/admin/footer-menu-items/{item}" "Removes a footer item." -> ();
    Get "/api/admin/analytics" "Totals of the platform, from the ledger." -> Analytics;
    Get "/api/admin/series" "Sales and payments of the last hours, in equal steps." with(hours: integer) -> Series, refuses 400;
    Get "/api/admin/platform-fees" "Platform fees by draw." with(from: string, to: string) -> PlatformFees, refuses 400;
    Get "/api/admin/platform-fees-report" "Platform fees by draw as an A4 PDF, with every reading of the fee rule." with(from: string, to: string) -> "application/pdf", refuses 400;
    Get "/api/admin/audit" "Audit log entries, and whether the hash chain is intact." with(object: string, limit: integer, before: integer) -> AuditTrail, refuses 400;
    Get "/api/admin/search" "Finds clubs, draws, orders, anomalies and tickets by any id, name or address." with(q: string) -> [SearchHit], refuses 400;
}
