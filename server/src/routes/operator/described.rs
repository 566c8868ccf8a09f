//! What is said of the calls for the operator.

use crate::openapi::description::describe;
use crate::routes::operator::settings::WantedMaintenance;
use crate::wire::console::anomaly::{
    Anomaly, AnomalyStats, MissingTicket, MissingTicketResolved, Resolution, Scan, Scanned,
};
use crate::wire::console::audit::AuditTrail;
use crate::wire::console::club::{ClubDesk, StripeAccount, WaitlistEntry};
use crate::wire::console::desk::{Cancellation, Closed, ConsoleDraw, SearchHit, Undone};
use crate::wire::console::health::ConsoleHealth;
use crate::wire::console::money::{Analytics, PlatformFees, Series};
use crate::wire::console::order::{
    ConsoleOrder, OrphanedTicket, Reasoned, Recovered, Recovery, Refunded,
};
use crate::wire::console::system::{
    Configuration, InFlight, Maintenance, Setting, WantedItem, WantedMenu, WantedSetting,
};
use crate::wire::footer::{FooterItem, FooterMenu};
use crate::wire::session::{Code, Enrolment, Reauthenticated, Whoami};

describe! {
    Post "/api/admin/totp/enrol" "The secret to feed an authenticator with, until a code of it is shown." -> Enrolment, refuses 409;
    Post "/api/admin/totp/verify" "Finishes an operator's sign-in with a code." takes Code -> Whoami, refuses 429;
    Post "/api/admin/reauthenticate" "Shows a code again, for what cannot be taken back." takes Code -> Reauthenticated, refuses 429;
    Get "/api/admin/payment-anomalies" "What is odd about payments, newest first." with(status: string, r#type: string) -> [Anomaly], refuses 400;
    Get "/api/admin/payment-anomalies/stats" "How many anomalies there are." -> AnomalyStats;
    Post "/api/admin/payment-anomalies/check" "Compares the last hour with the provider, and mends what it can." -> Scanned;
    Post "/api/admin/payment-anomalies/scan-historical" "Compares the last hours with the provider, and mends what it can." takes Scan -> Scanned;
    Post "/api/admin/payment-anomalies/{anomaly}/resolve" "Marks an anomaly as seen to." takes Resolution -> Anomaly, refuses 409;
    Post "/api/admin/payment-anomalies/{anomaly}/refund" "Gives the payment an anomaly is about back, and resolves it." takes Reasoned -> Anomaly, refuses 409;
    Post "/api/admin/payment-anomalies/resolve" "Gives a payment without tickets its tickets." takes MissingTicket -> MissingTicketResolved, refuses 404 409;
    Get "/api/admin/orphaned-tickets" "Tickets that are paid for and belong to nobody we could write to." -> [OrphanedTicket];
    Patch "/api/admin/tickets/{ticket}/recover" "Gives tickets without a buyer their buyer." takes Recovery -> Recovered, refuses 409 429;
    Get "/api/admin/orders/{order}" "One purchase." -> ConsoleOrder;
    Post "/api/admin/orders/{order}/refund" "Voids the tickets and gives all the money back." takes Reasoned -> Refunded, refuses 409;
    Get "/api/admin/draws" "All draws with their money, the newest kick-off first." -> [ConsoleDraw];
    Get "/api/admin/draws/{draw}/report" "A draw with its sold tickets, their buyers and its sums, A4." -> "application/pdf";
    Post "/api/admin/close-expired-draws" "Writes down what kick-off has decided." -> Closed, refuses 409;
    Post "/api/draws/{draw}/undo-results" "Takes a result back." takes Reasoned -> Undone, refuses 409;
    Get "/api/admin/draws/{draw}/cancellation" "What cancelling a draw would give back, or how far it is." -> Cancellation;
    Post "/api/admin/draws/{draw}/cancel" "Calls a game off: everybody gets everything back." takes Reasoned -> Cancellation, refuses 409;
    Get "/api/admin/health" "How the machine is." -> ConsoleHealth;
    Get "/api/admin/configuration" "What is in force." -> Configuration;
    Get "/api/admin/clubs" "All clubs but the archived ones." -> [ClubDesk];
    Get "/api/admin/clubs/archived" "The archived clubs." -> [ClubDesk];
    Post "/api/admin/clubs/{club}/archive" "Hides a club and ends its new sales." -> ClubDesk;
    Post "/api/admin/clubs/{club}/unarchive" "Brings a club back." -> ClubDesk;
    Get "/api/admin/stripe-accounts" "The clubs' accounts at the provider." -> [StripeAccount];
    Get "/api/admin/waitlist" "Clubs that wait to be let in." -> [WaitlistEntry];
    Delete "/api/admin/waitlist/{entry}" "Takes a club off the waitlist." -> ();
    Post "/api/admin/maintenance-mode" "Refuses new payments for now, or takes them again." takes WantedMaintenance -> Maintenance;
    Get "/api/admin/in-flight" "What is under way at this moment." -> InFlight;
    Get "/api/admin/system-settings" "The switches that were ever set." -> [Setting];
    Get "/api/admin/system-settings/{key}" "One switch." -> Setting;
    Post "/api/admin/system-settings/{key}" "Sets a switch." takes WantedSetting -> Setting, refuses 409;
    Get "/api/admin/footer-menus" "All footer menus with all items." -> [FooterMenu];
    Post "/api/admin/footer-menus" "A new footer menu." takes WantedMenu -> (201 FooterMenu);
    Patch "/api/admin/footer-menus/{menu}" "Changes a footer menu." takes WantedMenu -> FooterMenu;
    Delete "/api/admin/footer-menus/{menu}" "Removes a footer menu with its items." -> ();
    Post "/api/admin/footer-menu-items" "A new footer item." takes WantedItem -> (201 FooterItem), refuses 404;
    Patch "/api/admin/footer-menu-items/{item}" "Changes a footer item." takes WantedItem -> FooterItem;
    Delete "/api/admin/footer-menu-items/{item}" "Removes a footer item." -> ();
    Get "/api/admin/analytics" "The whole in numbers, from the ledger." -> Analytics;
    Get "/api/admin/series" "What happened in the last hours, in equal steps." with(hours: integer) -> Series, refuses 400;
    Get "/api/admin/platform-fees" "What the platform earned, draw by draw." with(from: string, to: string) -> PlatformFees, refuses 400;
    Get "/api/admin/platform-fees-report" "The same on paper, A4, with every reading of the fee." with(from: string, to: string) -> "application/pdf", refuses 400;
    Get "/api/admin/audit" "Who did what, and whether the log is whole." with(object: string, limit: integer, before: integer) -> AuditTrail, refuses 400;
    Get "/api/admin/search" "Anything, by what one has in hand." with(q: string) -> [SearchHit], refuses 400;
}
