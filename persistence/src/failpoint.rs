//! Points in the code where a test may end the process as `kill -9` would: before and after the
//! effect of every step of a purchase.
//!
//! Release builds, and builds without the feature `failpoints`, contain empty functions instead.
//! Otherwise the environment variable `FD_FAILPOINT` names a file that contains the name of a
//! point. The process that reaches this point removes the file and kills itself.

/// The steps of a purchase, S0 to S13 of the failure catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurchaseStep {
    /// The requested tickets are priced.
    Quote,
    /// The draw's actor decides to reserve the tickets.
    Hold,
    /// The order and its reservation are committed.
    Order,
    /// The payment intent is created at the provider.
    Intent,
    /// The payment intent's id is stored in the database.
    Name,
    /// The server sends the client secret to the browser.
    Answer,
    /// The server confirms the payment with the buyer's payment method at the provider.
    Confirm,
    /// A request or webhook reports that the payment was authorised.
    Door,
    /// The server asks the provider for the payment's state.
    Ask,
    /// The commit that gives the tickets to the order is written.
    Allocate,
    /// The provider captures the payment.
    Capture,
    /// The capture is stored in the database.
    Record,
    /// The mail is sent.
    Mail,
    /// Boards in browsers show the sale.
    Show,
}

/// Whether a failpoint is before or after the effect of its purchase step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailpointSide {
    Before,
    After,
}

impl PurchaseStep {
    pub const ALL: [PurchaseStep; 14] = [
        PurchaseStep::Quote,
        PurchaseStep::Hold,
        PurchaseStep::Order,
        PurchaseStep::Intent,
        PurchaseStep::Name,
        PurchaseStep::Answer,
        PurchaseStep::Confirm,
        PurchaseStep::Door,
        PurchaseStep::Ask,
        PurchaseStep::Allocate,
        PurchaseStep::Capture,
        PurchaseStep::Record,
        PurchaseStep::Mail,
        PurchaseStep::Show,
    ];
}

/// Returns the name of a failpoint, as a test writes it into the failpoint file.
pub fn failpoint_name(step: PurchaseStep, side: FailpointSide) -> String {
    format!("{step:?} {side:?}")
}

/// Runs the effect of a purchase step, with one failpoint before the effect and one after it.
pub async fn run_between_failpoints<T>(step: PurchaseStep, effect: impl Future<Output = T>) -> T {
    reach_failpoint(step, FailpointSide::Before);
    let result = effect.await;
    reach_failpoint(step, FailpointSide::After);
    result
}

/// Whether this build contains failpoints.
pub const FAILPOINTS_COMPILED: bool = cfg!(all(feature = "failpoints", debug_assertions));

/// Does nothing in this build. With failpoints, it ends the process when the failpoint file names
/// this failpoint.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub fn reach_failpoint(_: PurchaseStep, _: FailpointSide) {}

/// Does nothing in this build. With failpoints, it ends the process shortly after, once the current
/// response has been sent.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub fn reach_after_response(_: PurchaseStep, _: FailpointSide) {}

#[cfg(all(feature = "failpoints", debug_assertions))]
pub use enabled_failpoints::{reach_after_response, reach_failpoint};

#[cfg(all(feature = "failpoints", debug_assertions))]
mod enabled_failpoints {
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::time::Duration;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::{FailpointSide, PurchaseStep, failpoint_name};

    /// Delay before the process ends, in which the server can still send a response of some hundred
    /// bytes over the loopback interface.
    const RESPONSE_SEND_DELAY: Duration = Duration::from_millis(50);

    fn failpoint_file() -> Option<&'static PathBuf> {
        static FAILPOINT_FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
        FAILPOINT_FILE
            .get_or_init(|| std::env::var_os("FD_FAILPOINT").map(PathBuf::from))
            .as_ref()
    }

    /// Removes the failpoint file if it names this failpoint, and returns whether this process
    /// removed it. If several processes share the file, only the process that removes it is killed.
    fn remove_matching_failpoint_file(step: PurchaseStep, side: FailpointSide) -> bool {
        let Some(file) = failpoint_file() else {
            return false;
        };
        let names_this_point = std::fs::read_to_string(file)
            .is_ok_and(|text| text.trim() == failpoint_name(step, side));
        names_this_point && std::fs::remove_file(file).is_ok()
    }

    fn kill_process() {
        let _ = kill(Pid::this(), Signal::SIGKILL);
        std::thread::sleep(Duration::from_secs(60));
    }

    /// Kills this process at once when the failpoint file names this failpoint.
    pub fn reach_failpoint(step: PurchaseStep, side: FailpointSide) {
        if remove_matching_failpoint_file(step, side) {
            kill_process();
        }
    }

    /// Kills this process after `RESPONSE_SEND_DELAY` when the failpoint file names this failpoint,
    /// so that the current response is still sent.
    pub fn reach_after_response(step: PurchaseStep, side: FailpointSide) {
        if remove_matching_failpoint_file(step, side) {
            std::thread::spawn(|| {
                std::thread::sleep(RESPONSE_SEND_DELAY);
                kill_process();
            });
        }
    }
}
