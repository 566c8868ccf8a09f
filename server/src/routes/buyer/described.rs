//! What is said of the calls for everyone and for buyers (A:7).

use crate::openapi::description::describe;
use crate::routes::buyer::reported::{Diagnostics, Happening, PolicyReport};
use crate::wire::club::{Club, ClubListed, OwnClub};
use crate::wire::config::PublicConfig;
use crate::wire::draw::Draw;
use crate::wire::draw_form::OwnDraw;
use crate::wire::footer::FooterMenu;
use crate::wire::my_tickets::{MyTickets, TicketsWanted};
use crate::wire::order::Order;
use crate::wire::proof::Proof;
use crate::wire::purchase::{Extended, PaymentOpened, Purchase, PurchaseAnswer, Validated};
use crate::wire::session::Proof as MailedSecret;
use crate::wire::site::{ClubMeta, DrawMeta, MaintenanceMode, Said, TermsText};
use crate::wire::special::PublicOffer;
use crate::wire::ticket::{AvailableTickets, Ticket};
use crate::wire::widget::Widget;

describe! {
    Get "/api/config" "What a browser must know before it can sell." -> PublicConfig;
    Get "/api/maintenance-mode" "Whether new payments are refused for now." -> MaintenanceMode;
    Get "/api/footer-menus" "The visible groups of links in the footer, in order." -> [FooterMenu];
    Get "/api/terms/{kind}" "A legal text in its present version." -> TermsText;
    Get "/api/qr.svg" "A QR code of one of this site's own addresses." with(url: string) -> "image/svg+xml", refuses 400;
    Post "/api/debug-log" "A browser's diagnostics: at most 2 kB, always taken, a few a minute kept." takes Diagnostics -> ();
    Post "/api/track" "What somebody did with an offer, without anything personal: always taken." takes Happening -> ();
    Post "/api/policy-report" "What a page was kept from doing by its policy, as browsers report it: always taken, a few a minute kept." takes PolicyReport -> ();

    Get "/api/draws/active" "Draws on sale, the next kick-off first." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/awaiting-results" "Finished games without a result." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/completed" "Draws with a result, the latest first." with(clubId: integer, offset: integer, limit: integer) -> [Draw], refuses 400;
    Get "/api/draws/{draw}" "One draw, with whom to ask and where its buyers pay; for its club also what may be changed." -> {Draw OwnDraw};
    Get "/api/draws/{draw}/tickets" "Its 169 tickets: to strangers which are sold, and every pair after the reveal; to its club the sold ones with their buyers." -> [Ticket];
    Get "/api/draws/{draw}/available-tickets" "How many are left." -> AvailableTickets;
    Get "/api/draws/{draw}/calendar.ics" "The game for a calendar, with those of the draws named in `also`, by comma." with(also: string) -> "text/calendar";
    Get "/api/meta/draw/{draw}" "What the head of its page says." -> DrawMeta;
    Get "/api/public/draws/{draw}/proof" "Its commitment; once it is completed and its kick-off has passed, the seed that fixed every pair." -> Proof;
    Get "/api/public/widget/bundle/{slug}/{bundle}" "What a board shows of an offer. For any site, without cookies." -> Widget;
    Get "/api/public/widget/{type}/{id}" "The same by kind: `draw` and a number, or `bundle` and `club:offer` or an offer's id." -> Widget;
    Get "/api/public/widget/draw/{draw}" "What a board shows of a draw. For any site, without cookies." -> Widget;

    Get "/api/clubs/public-list" "Every club, by name." -> [ClubListed];
    Get "/api/clubs/slug/{slug}" "A club's page with its draws." -> Club;
    Get "/api/clubs/{club}" "A club by id or slug; for itself also its contact and how its account stands." -> {Club OwnClub};
    Get "/api/clubs/{club}/meta" "What the head of its page says." -> ClubMeta;
    Get "/api/clubs/{club}/bundles" "A club's offers on sale now." -> [PublicOffer];
    Get "/api/clubs/{club}/bundles/{bundle}" "One offer by its slug: a closed one too, never a draft or an expired one." -> PublicOffer;
    Get "/api/clubs/{club}/draws" "A club's draws." with(status: string) -> [Draw], refuses 400;

    Post "/api/create-payment-intent" "Reserves tickets of one draw (`drawNumber` or `drawId`, `ticketCount`) and opens a payment, or resizes the one this browser has." takes Purchase -> PaymentOpened, refuses 402 404 409 429;
    Post "/api/cart/create-payment-intent" "The same for a cart (`items`): all lines or none." takes Purchase -> PaymentOpened, refuses 402 404 409 429;
    Post "/api/validate-purchase" "What is wrong with a purchase, before it is paid for; keeps the two consents." takes Purchase -> Validated, refuses 404;
    Post "/api/complete-card-payment" "The card form's last call (`paymentIntentId`): tickets first, then the money." takes Purchase -> PurchaseAnswer, refuses 402 404 409;
    Post "/api/purchase-tickets" "The same from the checkout page, the wallet or a beacon: both consents are in the body." takes Purchase -> PurchaseAnswer, refuses 402 404 409;
    Post "/api/purchase-cart" "The same for a cart." takes Purchase -> PurchaseAnswer, refuses 402 404 409;
    Post "/api/cart/complete-card-payment" "Pays a cart with a payment method the browser made (`paymentMethodId`)." takes Purchase -> PurchaseAnswer, refuses 402 404 409 429;
    Post "/api/process-wallet-payment" "Pays one draw with a wallet's payment method." takes Purchase -> PurchaseAnswer, refuses 402 404 409 429;
    Post "/api/process-purchase" "Pays with the provider's id of a wallet's token (`paymentToken`)." takes Purchase -> PurchaseAnswer, refuses 402 404 409 429;
    Post "/api/payments/confirm-wallet" "Pays with a wallet that knows only the `clientSecret`." takes Purchase -> PurchaseAnswer, refuses 402 404 409 429;
    Post "/api/resend-confirmation" "Sends the confirmation of `paymentIntentId` once more, to the stored address only; always the same answer." takes Purchase -> Said;
    Get "/api/orders/{token}" "An order as its buyer sees it: own pairs included." -> Order;
    Post "/api/my-tickets" "Mails a link to every order of an address, which works for a day; always the same answer." takes TicketsWanted -> Said, refuses 400 429;
    Post "/api/my-tickets/look" "What the link in that mail opens." takes MailedSecret -> MyTickets, refuses 404 429;
    Delete "/api/reservations/{order}" "Gives the tickets back. A browser that leaves may send it as a beacon." -> ();
    Post "/api/reservations/{order}/extend" "Keeps the tickets for another two minutes: at most ten times, never past kick-off." -> Extended, refuses 400 409;
}
