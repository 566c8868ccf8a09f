//! `OpenAPI` summaries of the club routes.

use crate::api::claim::{BankDetails, Claim, MaskedBankDetails, UnmaskedBankDetails};
use crate::api::club::OwnClub;
use crate::api::club_admin::ProviderTransaction;
use crate::api::club_admin::{
    ConnectStatus, HomePageForm, ImageRemoval, ImageUpload, IntegrityAudit, OfferForm,
    OnboardingLink, OwnOffer, TransactionSums, UploadedImage,
};
use crate::api::club_dashboard::{
    BuyerOrder, ClubActivity, ClubTask, DrawPace, DrawSales, TicketsResent,
};
use crate::api::club_users::{ClubUser, ClubUserForm};
use crate::api::draw_form::{
    AcceptedTerms, ArchiveForm, DrawForm, DrawTemplate, OwnDraw, TermsAgreementForm,
};
use crate::api::fixture::FixtureImportResult;
use crate::api::payout::{
    ClubStats, EnterResult, Financials, NotifyWinner, Payout, RecordPayout, ResultEntered,
    SettlePayout, WinnerNotified, Winners,
};
use crate::api::registration::{EmailVerified, RegistrationSwitch, SlugPreview, WaitlistJoined};
use crate::api::session::MailedSecret;
use crate::api::session::{
    ForgottenPassword, Login, NewPassword, PasswordProof, Reauthenticated, Registration, User,
    WaitlistForm, Whoami,
};
use crate::api::site::Message;
use crate::http::openapi::description::describe;

describe! {
    Post "/api/clubs/login" "Signs a club, one of its people or an operator in." takes Login -> User, refuses 401 429;
    Post "/api/auth/logout" "Signs out." -> ();
    Post "/api/auth/reauthenticate" "Proves the password again, for calls that need a recent proof." takes PasswordProof -> Reauthenticated, refuses 429;
    Post "/api/clubs/logout" "Signs out." -> ();
    Post "/api/admin/logout" "Signs out." -> ();
    Get "/api/admin/whoami" "Who is signed in." -> Whoami;
    Get "/api/settings/club-registration" "Whether clubs may register by themselves." -> RegistrationSwitch;
    Get "/api/clubs/slug-preview" "The slug that a new club with this name would get." with(name: string) -> SlugPreview, refuses 400;
    Post "/api/clubs/register" "Registers a club and signs it in." takes Registration -> (201 User), refuses 409 429;
    Post "/api/waitlist" "Puts a club on the waitlist for registration." takes WaitlistForm -> (201 WaitlistJoined), refuses 429;
    Post "/api/clubs/reset-password" "Mails a link to set a new password, if the account exists. The answer is always the same." takes ForgottenPassword -> Message, refuses 429;
    Post "/api/clubs/reset-password-confirm" "Sets a new password by a mailed link, once. Ends every session of the account." takes NewPassword -> Message, refuses 429;
    Post "/api/clubs/verify-email" "Confirms an e-mail address by a mailed link." takes MailedSecret -> EmailVerified, refuses 429;
    Post "/api/clubs/{club}/verification-email" "Sends the confirmation link again. 200 when the address is already confirmed." -> (202 200 Message), refuses 429;
    Get "/api/clubs/{club}/users" "The club's users, its own login first." -> [ClubUser];
    Post "/api/clubs/{club}/users" "Invites a user by a mailed link, or mails a new link. A user who has joined stays unchanged." takes ClubUserForm -> ClubUser, refuses 409 429;
    Patch "/api/clubs/{club}/users/{user}" "Changes a user's name or role. A changed role ends the user's sessions." takes ClubUserForm -> ClubUser, refuses 409;
    Delete "/api/clubs/{club}/users/{user}" "Removes a user and ends the user's sessions." -> (), refuses 409;
    Post "/api/terms/accept" "Records that a club agrees to the terms of service, with time, address and version." takes TermsAgreementForm -> (201 AcceptedTerms), refuses 404 409;
    Post "/api/draws" "Creates a draw, after the club agreed to the terms of service." takes DrawForm -> (201 OwnDraw), refuses 404 409 422 428;
    Post "/api/draws/check" "Checks a new draw and creates nothing. For use before the terms are shown." takes DrawForm -> (), refuses 404 409 422;
    Patch "/api/draws/{draw}" "Changes a draw before kick-off. Price and prize can change only before the first sale." takes DrawForm -> OwnDraw, refuses 409 422;
    Post "/api/draws/{draw}/cancel" "Cancels a draw without sales." -> OwnDraw, refuses 409;
    Patch "/api/draws/{draw}/archive" "Archives a completed draw, or restores it." takes ArchiveForm -> OwnDraw, refuses 409;
    Get "/api/clubs/{club}/draw-template" "Values for a new draw: the club's newest draw, moved to a future week." -> DrawTemplate;
    Post "/api/draws/{draw}/results" "Enters the first try scorers. Ends sales first." takes EnterResult -> ResultEntered, refuses 409;
    Post "/api/draws/{draw}/notify-winners" "Mails the winner, once per result, or again when asked to." takes NotifyWinner -> WinnerNotified, refuses 409;
    Patch "/api/clubs/{club}/home-page" "Changes a club's home page. The former slug keeps working." takes HomePageForm -> OwnClub, refuses 409;
    Get "/api/clubs/{club}/stripe-connect/status" "Whether the club's Stripe account may take payments." -> ConnectStatus;
    Post "/api/clubs/{club}/stripe-connect" "A new single-use link to complete the club's Stripe account." -> OnboardingLink, refuses 400 502;
    Get "/api/admin/clubs/{slug}/bundles" "A club's offers, newest first." -> [OwnOffer];
    Post "/api/admin/clubs/{slug}/bundles" "Creates an offer." takes OfferForm -> (201 OwnOffer), refuses 409;
    Get "/api/admin/clubs/{slug}/bundles/{bundle}" "One offer." -> OwnOffer;
    Put "/api/admin/clubs/{slug}/bundles/{bundle}" "Replaces an offer that has no sales." takes OfferForm -> OwnOffer, refuses 409;
    Post "/api/admin/clubs/{slug}/bundles/{bundle}/archive" "Archives an offer." -> OwnOffer, refuses 400 409;
    Post "/api/uploads/bundle-image" "Stores a share image after re-encoding it." takes ImageUpload -> (201 UploadedImage), refuses 404 409;
    Delete "/api/uploads/bundle-image" "Deletes one of the club's share images." takes ImageRemoval -> (), refuses 404;
    Get "/uploads/{key}" "An uploaded picture of a club." -> "image/png";
    Get "/api/stripe-debug" "Payments of the last 30 days: the club's own, or all clubs' for the operator." -> [ProviderTransaction];
    Get "/api/stripe-debug/sums" "Sums over the successful payments of the last 30 days, including those beyond the list's limit." -> TransactionSums;
    Get "/api/admin/payment-integrity-audit" "Failed payments of the last 30 days." -> IntegrityAudit;
    Get "/api/admin/payment-recovery-report" "Failed payments of the last 30 days as a text." -> "text/plain";
    Get "/api/draws/{draw}/tickets/csv" "A draw's sold tickets with their buyers and sums, as CSV." -> "text/csv";
    Get "/api/draws/{draw}/report" "A draw's sold tickets with their buyers and sums, as an A4 PDF." -> "application/pdf";
    Get "/api/draws/{draw}/poster" "A poster with the draw's QR code, as an A4 PDF." -> "application/pdf";
    Get "/api/draws/{draw}/winners" "The winner, and the state of the prize payout." -> Winners, refuses 409;
    Put "/api/draws/{draw}/winner-bank" "Stores the winner's bank details, encrypted. 202 when a second person has to enter the same details." takes BankDetails -> (200 202 MaskedBankDetails), refuses 409;
    Delete "/api/draws/{draw}/winner-bank/proposal" "Removes the proposed bank details that wait for a second person." -> ();
    Post "/api/draws/{draw}/winner-bank/reveal" "The unmasked bank details, in exchange for the password. Audited." takes PasswordProof -> UnmaskedBankDetails, refuses 409 429;
    Post "/api/claims/look" "The winner's claim page, by the secret of the mailed link." takes MailedSecret -> Claim, refuses 404 429;
    Post "/api/claims" "The winner submits bank details, once, within seven days." takes BankDetails -> Claim, refuses 404 409 410 429;
    Get "/api/clubs/{club}/stats" "Revenue and sales of all of a club's draws." -> ClubStats;
    Get "/api/clubs/{club}/to-do" "What the club has to do, the oldest task first." -> [ClubTask];
    Get "/api/clubs/{club}/pace" "The sales of each draw on sale, compared with the club's last game." -> [DrawPace];
    Get "/api/clubs/{club}/buyers" "The club's paid orders, found by buyer. Audited." with(q: string) -> [BuyerOrder];
    Post "/api/clubs/{club}/orders/{order}/resend" "Mails a buyer's tickets again, at most three times an hour." -> TicketsResent;
    Get "/api/clubs/{club}/activity" "What the club's users and the operator did in the club, newest first." with(before: integer) -> [ClubActivity];
    Get "/api/draws/{draw}/sales" "A draw's sales over time, and those of the club's game before it." -> DrawSales;
    Get "/api/draws/{draw}/payouts" "The payouts of a completed draw." -> [Payout], refuses 409;
    Post "/api/draws/{draw}/payouts" "Records a payout. It moves no money." takes RecordPayout -> Payout, refuses 409;
    Patch "/api/payouts/{payout}" "Marks a payout as completed or failed, or undoes a winner's payout within 24 hours." takes SettlePayout -> Payout, refuses 409;
    Get "/api/draws/{draw}/financials" "A draw's revenue, fees, prize and profit." -> Financials;
    Post "/api/clubs/{club}/fixtures" "Creates the draws of a season from a CSV table: all of them or none, or with `skipInvalid` those of the readable lines." with(dryRun: boolean, skipInvalid: boolean, price: string, prize: integer, contactName: string, contactPhone: string) takes "text/csv" -> FixtureImportResult, refuses 409 422 428;
}
