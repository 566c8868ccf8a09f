//! What is said of the calls for clubs.

use crate::openapi::description::describe;
use crate::wire::claim::{BankShown, BankTold, BankWhole, Claim, PasswordAgain};
use crate::wire::club::OwnClub;
use crate::wire::desk::Transaction as ProviderTransaction;
use crate::wire::desk::{
    ConnectStatus, HomePageForm, ImageRemoval, ImageUpload, IntegrityAudit, OfferForm, Onboarding,
    OwnOffer, TransactionSums, Uploaded,
};
use crate::wire::draw_form::{Agreed, Agreement, Archiving, DrawForm, DrawTemplate, OwnDraw};
use crate::wire::fixture::Imported;
use crate::wire::joining::{EmailVerified, RegistrationSwitch, SlugPreview, Waitlisted};
use crate::wire::payout::{
    EnterResult, Financials, Notified, Payout, RecordPayout, ResultEntered, SettlePayout, Stats,
    Winners,
};
use crate::wire::people::{ClubUser, ClubUserForm};
use crate::wire::session::Proof as MailedSecret;
use crate::wire::session::{
    ForgottenPassword, Login, NewPassword, Registration, User, Waiting, Whoami,
};
use crate::wire::site::Said;

describe! {
    Post "/api/clubs/login" "Signs a club, one of its people or an operator in." takes Login -> User, refuses 401 429;
    Post "/api/auth/logout" "Signs out." -> ();
    Post "/api/clubs/logout" "Signs out." -> ();
    Post "/api/admin/logout" "Signs out." -> ();
    Get "/api/admin/whoami" "Who is signed in." -> Whoami;
    Get "/api/settings/club-registration" "Whether clubs may register by themselves." -> RegistrationSwitch;
    Get "/api/clubs/slug-preview" "The page name a club of this name would be given." with(name: string) -> SlugPreview, refuses 400;
    Post "/api/clubs/register" "A club joins, and is signed in." takes Registration -> (201 User), refuses 409 429;
    Post "/api/waitlist" "A club asks to be told when it may join." takes Waiting -> (201 Waitlisted), refuses 429;
    Post "/api/clubs/reset-password" "Sends a link to set a new password, if there is such an account; always the same answer." takes ForgottenPassword -> Said, refuses 429;
    Post "/api/clubs/reset-password-confirm" "Sets a new password by a mailed link, once; signs every session out." takes NewPassword -> Said, refuses 429;
    Post "/api/clubs/verify-email" "Confirms an address by a mailed link." takes MailedSecret -> EmailVerified, refuses 429;
    Post "/api/clubs/{club}/verification-email" "Sends the link to confirm the address once more; 200 if it is confirmed." -> (202 200 Said), refuses 429;
    Get "/api/clubs/{club}/users" "The club's people, its own login first." -> [ClubUser];
    Post "/api/clubs/{club}/users" "Asks somebody in by a mailed link, or mails another; who has joined already is left as they are." takes ClubUserForm -> ClubUser, refuses 409 429;
    Patch "/api/clubs/{club}/users/{user}" "Another name or role; whoever's role changes signs in again." takes ClubUserForm -> ClubUser, refuses 409;
    Delete "/api/clubs/{club}/users/{user}" "Shows somebody out: every session of theirs ends." -> (), refuses 409;
    Post "/api/terms/accept" "A club agrees to the terms of service; kept with time, address and version." takes Agreement -> (201 Agreed), refuses 404 409;
    Post "/api/draws" "Puts a game on sale, after the club agreed to the terms." takes DrawForm -> (201 OwnDraw), refuses 404 409 422 428;
    Patch "/api/draws/{draw}" "Changes a draw: before kick-off, and price and prize only before the first sale." takes DrawForm -> OwnDraw, refuses 409 422;
    Patch "/api/draws/{draw}/archive" "Takes a completed draw out of the lists, or puts it back." takes Archiving -> OwnDraw, refuses 409;
    Get "/api/clubs/{club}/draw-template" "The club's last draw, some weeks later: what a new one starts from." -> DrawTemplate;
    Post "/api/draws/{draw}/results" "Enters the first try scorers; sales end first." takes EnterResult -> ResultEntered, refuses 409;
    Post "/api/draws/{draw}/notify-winners" "Writes to the winner, once for each result." -> Notified, refuses 400 409;
    Patch "/api/clubs/{club}/home-page" "Changes a club's home page; a new name takes the old one along." takes HomePageForm -> OwnClub, refuses 409;
    Get "/api/clubs/{club}/stripe-connect/status" "Whether the club may sell." -> ConnectStatus;
    Post "/api/clubs/{club}/stripe-connect" "A fresh single-use link to complete the club's account at the provider." -> Onboarding, refuses 400 502;
    Get "/api/admin/clubs/{slug}/bundles" "A club's offers, newest first." -> [OwnOffer];
    Post "/api/admin/clubs/{slug}/bundles" "Makes an offer." takes OfferForm -> (201 OwnOffer), refuses 409;
    Get "/api/admin/clubs/{slug}/bundles/{bundle}" "One offer." -> OwnOffer;
    Put "/api/admin/clubs/{slug}/bundles/{bundle}" "Replaces an offer while nothing is sold of it." takes OfferForm -> OwnOffer, refuses 409;
    Post "/api/admin/clubs/{slug}/bundles/{bundle}/archive" "Takes an offer away." -> OwnOffer, refuses 400 409;
    Post "/api/uploads/bundle-image" "Keeps a share image, made anew." takes ImageUpload -> (201 Uploaded), refuses 404 409;
    Delete "/api/uploads/bundle-image" "Forgets a share image of the club's own." takes ImageRemoval -> (), refuses 404;
    Get "/uploads/{key}" "A picture of a club." -> "image/png";
    Get "/api/stripe-debug" "Payments of the last 30 days: the club's own, or everybody's for the operator." -> [ProviderTransaction];
    Get "/api/stripe-debug/sums" "The successful ones of them in sums, also of those that the list has no room for." -> TransactionSums;
    Get "/api/admin/payment-integrity-audit" "Payments of the last 30 days that came to nothing." -> IntegrityAudit;
    Get "/api/admin/payment-recovery-report" "The same as a text." -> "text/plain";
    Get "/api/draws/{draw}/tickets/csv" "A draw's sold tickets with their buyers, and its sums." -> "text/csv";
    Get "/api/draws/{draw}/report" "The same on paper, A4." -> "application/pdf";
    Get "/api/draws/{draw}/poster" "A poster with the draw's QR code, A4." -> "application/pdf";
    Get "/api/draws/{draw}/winners" "Who won, and how far the prize's payment is." -> Winners, refuses 409;
    Put "/api/draws/{draw}/winner-bank" "Keeps where the prize is to be sent, sealed." takes BankTold -> BankShown, refuses 409;
    Post "/api/draws/{draw}/winner-bank/reveal" "Bank details whole, once, for the password; audited." takes PasswordAgain -> BankWhole, refuses 409 429;
    Post "/api/claims/look" "The winner's own page, by the mailed link's secret." takes MailedSecret -> Claim, refuses 404 429;
    Post "/api/claims" "The winner says where the prize is to be sent; once, within seven days." takes BankTold -> Claim, refuses 404 409 410 429;
    Get "/api/clubs/{club}/stats" "What all of a club's draws brought in." -> Stats;
    Get "/api/draws/{draw}/payouts" "What is to be paid out of a completed draw." -> [Payout], refuses 409;
    Post "/api/draws/{draw}/payouts" "Records a payout; it moves no money." takes RecordPayout -> Payout, refuses 409;
    Patch "/api/payouts/{payout}" "Says that a payout was made, or failed." takes SettlePayout -> Payout, refuses 409;
    Get "/api/draws/{draw}/financials" "A draw's money." -> Financials;
    Post "/api/clubs/{club}/fixtures" "Puts a season's games on sale from a table: all of them or none." with(dryRun: boolean, price: string, prize: integer, contactName: string, contactPhone: string) takes "text/csv" -> Imported, refuses 409 422 428;
}
