//! Where a test may end the process as `kill -9` would: before and after the effect of every step of a purchase.
//!
//! Nothing of it is in a build that nobody asked to have it, nor in any release build: there `reach` is an empty function. Where
//! it is compiled in, `FD_FAILPOINT` names a file; the process that reaches the step whose name stands in it takes the file away
//! and kills itself.

/// The steps of a purchase, S0 to S13 of the failure catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The buyer's wish is priced.
    Quote,
    /// The draw's actor decides to reserve.
    Hold,
    /// The order and its reservation are committed.
    Order,
    /// The payment intent is made at the provider.
    Intent,
    /// The payment intent's name is written down.
    Name,
    /// The browser gets the client secret.
    Answer,
    /// The buyer's payment method is confirmed.
    Confirm,
    /// Somebody says that the payment is there.
    Door,
    /// The provider is asked whether it is.
    Ask,
    /// The tickets are committed.
    Allocate,
    /// The money is taken.
    Capture,
    /// That it was taken is written down.
    Record,
    /// The mail leaves.
    Mail,
    /// Boards are shown the sale.
    Show,
}

/// On which side of a step's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

impl Step {
    pub const ALL: [Step; 14] = [
        Step::Quote,
        Step::Hold,
        Step::Order,
        Step::Intent,
        Step::Name,
        Step::Answer,
        Step::Confirm,
        Step::Door,
        Step::Ask,
        Step::Allocate,
        Step::Capture,
        Step::Record,
        Step::Mail,
        Step::Show,
    ];
}

/// The point's name, as it stands in the file.
pub fn name(step: Step, side: Side) -> String {
    format!("{step:?} {side:?}")
}

/// A step's effect, with both of its sides.
pub async fn around<T>(step: Step, effect: impl Future<Output = T>) -> T {
    reach(step, Side::Before);
    let done = effect.await;
    reach(step, Side::After);
    done
}

/// Whether this build has any.
pub const COMPILED: bool = cfg!(all(feature = "failpoints", debug_assertions));

/// Ends the process here when a test asked for it.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub fn reach(_: Step, _: Side) {}

/// The same a moment later, when what was just answered has left.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub fn reach_soon(_: Step, _: Side) {}

#[cfg(all(feature = "failpoints", debug_assertions))]
pub use armed::{reach, reach_soon};

#[cfg(all(feature = "failpoints", debug_assertions))]
mod armed {
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::time::Duration;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::{Side, Step, name};

    /// An answer of some hundred bytes has left the machine's own loop by then.
    const A_MOMENT: Duration = Duration::from_millis(50);

    fn file() -> Option<&'static PathBuf> {
        static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
        FILE.get_or_init(|| std::env::var_os("FD_FAILPOINT").map(PathBuf::from))
            .as_ref()
    }

    /// Taken away by whoever reads its own name in it first.
    fn is_asked_for(step: Step, side: Side) -> bool {
        let Some(file) = file() else { return false };
        let asked =
            std::fs::read_to_string(file).is_ok_and(|asked| asked.trim() == name(step, side));
        asked && std::fs::remove_file(file).is_ok()
    }

    fn die() {
        let _ = kill(Pid::this(), Signal::SIGKILL);
        std::thread::sleep(Duration::from_secs(60));
    }

    /// Ends the process here when a test asked for it.
    pub fn reach(step: Step, side: Side) {
        if is_asked_for(step, side) {
            die();
        }
    }

    /// The same a moment later, when what was just answered has left.
    pub fn reach_soon(step: Step, side: Side) {
        if is_asked_for(step, side) {
            std::thread::spawn(|| {
                std::thread::sleep(A_MOMENT);
                die();
            });
        }
    }
}
