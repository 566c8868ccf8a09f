//! `OpenAPI` summaries of the public and buyer routes.

use crate::api::club::{Club, ClubSummary, OwnClub};
use crate::api::config::PublicConfig;
use crate::api::draw::Draw;
use crate::api::draw_form::OwnDraw;
use crate::api::footer::FooterMenu;
use crate::api::my_tickets::{MyTickets, TicketLinkRequest};
use crate::api::offer::PublicOffer;
use crate::api::order::Order;
use crate::api::proof::Proof;
use crate::api::purchase::{
    OpenedPayment, Purchase, PurchaseResult, PurchaseValidation, ReservationExtended,
};
use crate::api::reminder::{OrderReminder, OrderReminderForm};
use crate::api::session::MailedSecret;
use crate::api::site::{ClubPageMetadata, DrawPageMetadata, MaintenanceMode, Message, TermsText};
use crate::api::ticket::{AvailableTickets, Ticket};
use crate::api::widget::Widget;
use crate::http::openapi::description::describe;
use crate::http::routes::buyer::browser_reports::{ClientEvent, Diagnostics, PolicyReport};

describe! {
    Get "/api/config" "Public configuration: keys, fees, limits and support contacts." -> PublicConfig;
    Get "/api/maintenance-mode" "Whether maintenance mode is on. It refuses new payments." -> MaintenanceMode;
    Get "/api/footer-menus" "The visible footer menus, in order." -> [FooterMenu];
    Get "/api/terms/{kind}" "A legal text in its current version." -> TermsText;
    Get "/api/qr.svg" "A QR code of one of this site's own addresses. `margin=none` leaves out its blank border." with(url: string, margin: string) -> "image/svg+xml", refuses 400;
    Post "/api/debug-log" "Accepts a browser's diagnostics, at most 2 kB. A few per minute are stored; the answer is always 204." takes Diagnostics -> ();
    Post "/api/track" "Counts a view, share or cart addition of an offer, without personal data. The answer is always 204." takes ClientEvent -> ();
    Post "/api/policy-report" "Accepts CSP violation reports of browsers. A few per minute are stored; the answer is always 204." takes PolicyReport -> ();

    Get "/api/draws/active" "Draws on sale, the next kick-off first." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/awaiting-results" "Finished games without a result." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/completed" "Draws with a result, the latest first." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/{draw}" "One draw, with its contact and the account that buyers pay to. Its club also reads what may be edited." -> {Draw OwnDraw};
    Get "/api/draws/{draw}/tickets" "The 169 tickets of a draw. Everyone reads which are sold, and all number pairs after the reveal. The club also reads the buyers." -> [Ticket];
    Get "/api/draws/{draw}/available-tickets" "How many tickets of a draw are left." -> AvailableTickets;
    Get "/api/draws/{draw}/calendar.ics" "The game as a calendar file. `also` adds further draws, separated by commas." with(also: string) -> "text/calendar";
    Get "/api/meta/draw/{draw}" "Title, description and image for the head of the draw's page." -> DrawPageMetadata;
    Get "/api/public/draws/{draw}/proof" "The draw's commitment. Once it is completed and kick-off has passed, also the seed that fixed every number pair." -> Proof;
    Get "/api/public/widget/bundle/{slug}/{bundle}" "Widget data of an offer. Any site may read it, without cookies." -> Widget;
    Get "/api/public/widget/{type}/{id}" "Widget data by type: `draw` and a number, or `bundle` and `club:offer` or an offer's id." -> Widget;
    Get "/api/public/widget/draw/{draw}" "Widget data of a draw. Any site may read it, without cookies." -> Widget;

    Get "/api/clubs/public-list" "Every club with a public page, sorted by name." -> [ClubSummary];
    Get "/api/clubs/slug/{slug}" "A club's page with its draws." -> Club;
    Get "/api/clubs/{club}" "A club by id or slug. The club itself also reads its contact details and account status." -> {Club OwnClub};
    Get "/api/clubs/{club}/meta" "Name, colours and logo for the head of the club's page." -> ClubPageMetadata;
    Get "/api/clubs/{club}/bundles" "A club's offers on sale now." -> [PublicOffer];
    Get "/api/clubs/{club}/bundles/{bundle}" "One offer by its slug. Closed offers are included; drafts and expired offers are not." -> PublicOffer;
    Get "/api/clubs/{club}/draws" "A club's draws." with(status: string) -> [Draw], refuses 400;

    Post "/api/create-payment-intent" "Reserves tickets of one draw (`drawNumber` or `drawId`, `ticketCount`) and opens a payment, or resizes this browser's open payment." takes Purchase -> OpenedPayment, refuses 402 404 409 429;
    Post "/api/cart/create-payment-intent" "Reserves the tickets of a cart (`items`) and opens a payment: all lines or none." takes Purchase -> OpenedPayment, refuses 402 404 409 429;
    Post "/api/validate-purchase" "Lists what is wrong with a purchase before it is paid. Stores the two consents." takes Purchase -> PurchaseValidation, refuses 404;
    Post "/api/complete-card-payment" "Last call of the card form (`paymentIntentId`): allocates the tickets, then captures the payment. Without the order's browser, `orderToken` or `clientSecret` it answers the status only." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/purchase-tickets" "Last call of the checkout page, a wallet or a beacon. Both consents are in the body." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/purchase-cart" "Last call of the checkout page for a cart. Both consents are in the body." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/cart/complete-card-payment" "Pays a cart with a confirmation token of Stripe.js (`confirmationTokenId`) or a payment method (`paymentMethodId`). A repeated call with the same token has the outcome of the first." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/process-wallet-payment" "Pays one draw with a wallet's confirmation token or payment method." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/process-purchase" "Pays with the payment provider's id of a wallet token (`paymentToken`)." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/payments/confirm-wallet" "Pays with a wallet that knows only the `clientSecret`." takes Purchase -> PurchaseResult, refuses 402 404 409 429;
    Post "/api/resend-confirmation" "Sends the confirmation of `paymentIntentId` again, to the stored address only. Needs the order's browser or its `orderToken`. The answer is always the same." takes Purchase -> Message;
    Get "/api/orders/{token}" "An order as its buyer sees it, with the number pairs of its tickets." -> Order;
    Get "/api/orders/{token}/picture/{draw}" "The order's tickets of one draw as a picture, 1080 pixels wide. Never cached." -> "image/png";
    Get "/api/orders/{token}/reminder" "Whether the buyer gets a mail before kick-off and a mail with the result." -> OrderReminder;
    Put "/api/orders/{token}/reminder" "Asks for the two mails, or stops them. Repeating a call changes nothing." takes OrderReminderForm -> OrderReminder, refuses 409;
    Post "/api/my-tickets" "Mails a link to all orders of an e-mail address. It works for a day. The answer is always the same." takes TicketLinkRequest -> Message, refuses 400 429;
    Post "/api/my-tickets/look" "All orders of an e-mail address, by the secret of a mailed link." takes MailedSecret -> MyTickets, refuses 404 429;
    Delete "/api/reservations/{order}" "Releases the reserved tickets. A browser may send it as a beacon when it leaves the page." -> ();
    Post "/api/reservations/{order}/extend" "Extends the reservation by two minutes, at most ten times and never past kick-off." -> ReservationExtended, refuses 400 409;
}
