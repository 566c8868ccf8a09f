use persistence::records::sessions::SessionHolder;

use super::accounts::{
    WRONG_PASSWORD_CONFIRMATIONS_MAX, WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX,
    WRONG_PASSWORDS_PER_ACCOUNT_MAX, WRONG_PASSWORDS_PER_ADDRESS_MAX,
};
use super::*;

const LOOPBACK_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const EXTERNAL_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 7));

/// Returns an IP address, which is in another network for each `turn`.
fn address_in_distinct_network(turn: u32) -> IpAddr {
    IpAddr::from((0xcb00_7100 + turn).to_be_bytes())
}

#[test]
fn wrong_passwords_limit_account_and_address() {
    let limits = Limits::new(Stage::Production);
    for _ in 0..2 * WRONG_PASSWORDS_PER_ADDRESS_MAX {
        limits
            .begin_sign_in("a@demo.test", EXTERNAL_ADDRESS)
            .expect("a correct password does not count")
            .uncount_on_this_node();
    }
    for _ in 0..WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX {
        assert!(
            limits
                .begin_sign_in("a@demo.test", EXTERNAL_ADDRESS)
                .is_ok()
        );
    }
    assert!(
        limits
            .begin_sign_in(" A@Demo.test ", EXTERNAL_ADDRESS)
            .is_err(),
        "however it is written"
    );
    let owner = limits.begin_sign_in("a@demo.test", LOOPBACK_ADDRESS);
    owner
        .expect("guesses from another network do not lock this one out")
        .uncount_on_this_node();
    let clubhouse = limits.begin_sign_in("b@demo.test", EXTERNAL_ADDRESS);
    clubhouse
        .expect("another account of the same clubhouse")
        .uncount_on_this_node();
    for turn in WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX..WRONG_PASSWORDS_PER_ADDRESS_MAX {
        assert!(
            limits
                .begin_sign_in(&format!("{turn}@demo.test"), EXTERNAL_ADDRESS)
                .is_ok()
        );
    }
    assert!(
        limits
            .begin_sign_in("b@demo.test", EXTERNAL_ADDRESS)
            .is_err()
    );
    assert!(
        limits
            .begin_sign_in("b@demo.test", LOOPBACK_ADDRESS)
            .is_ok()
    );
}

#[test]
fn account_allows_fifty_wrong_passwords_from_all_addresses() {
    let limits = Limits::new(Stage::Production);
    let guess = |turn: u32| {
        limits
            .begin_sign_in("a@demo.test", address_in_distinct_network(turn % 25))
            .is_ok()
    };
    assert!((0..WRONG_PASSWORDS_PER_ACCOUNT_MAX).all(guess));
    assert!(!(WRONG_PASSWORDS_PER_ACCOUNT_MAX..100).any(guess));
    assert!(
        limits
            .begin_sign_in("a@demo.test", LOOPBACK_ADDRESS)
            .is_err(),
        "from anywhere"
    );
    assert!(
        limits
            .begin_sign_in("b@demo.test", address_in_distinct_network(0))
            .is_ok(),
        "another account"
    );
}

/// An account name that contains another account's network must not count against that account.
#[test]
fn account_name_cannot_imitate_another_limit_key() {
    let limits = Limits::new(Stage::Production);
    for named in [
        format!("a@demo.test from {LOOPBACK_ADDRESS}"),
        format!("{LOOPBACK_ADDRESS} of a@demo.test"),
        LOOPBACK_ADDRESS.to_string(),
    ] {
        while limits.begin_sign_in(&named, EXTERNAL_ADDRESS).is_ok() {}
    }
    assert!(
        limits
            .begin_sign_in("a@demo.test", LOOPBACK_ADDRESS)
            .is_ok()
    );
}

#[test]
fn password_confirmation_is_counted_apart_from_sign_in() {
    let limits = Limits::new(Stage::Production);
    let holder = SessionHolder::Club(domain::ClubId(7));
    while limits
        .begin_sign_in("a@demo.test", LOOPBACK_ADDRESS)
        .is_ok()
    {}
    assert!(
        (0..WRONG_PASSWORD_CONFIRMATIONS_MAX)
            .all(|_| limits.begin_password_confirmation(holder).is_ok())
    );
    assert!(limits.begin_password_confirmation(holder).is_err());
    assert!(
        limits
            .begin_password_confirmation(SessionHolder::Club(domain::ClubId(8)))
            .is_ok()
    );
    assert!(
        limits
            .begin_sign_in("a@demo.test", EXTERNAL_ADDRESS)
            .is_ok()
    );
}

#[test]
fn client_without_cookie_opens_one_payment_per_reservation() {
    let limits = Limits::new(Stage::Production);
    assert!(limits.check_new_intent(None, EXTERNAL_ADDRESS).is_ok());
    assert!((0..1_000).all(|_| limits.check_new_intent(None, EXTERNAL_ADDRESS).is_err()));
    assert!(
        limits.check_new_intent(None, LOOPBACK_ADDRESS).is_ok(),
        "another address"
    );
    assert!(
        limits
            .check_new_intent(Some(&[3; 16]), EXTERNAL_ADDRESS)
            .is_ok(),
        "a browser with a cookie is not affected"
    );
    let demo = Limits::new(Stage::Demo);
    assert!((0..20).all(|_| demo.check_new_intent(None, LOOPBACK_ADDRESS).is_ok()));
}

/// A customer has 2^64 IPv6 addresses, which all count as one caller.
#[test]
fn ipv6_addresses_of_one_customer_share_every_limit() {
    let limits = Limits::new(Stage::Production);
    let of_one = |turn: u32| IpAddr::from([0x2001, 0xdb8, 1, 2, 3, 4, 5, turn as u16]);
    let neighbour = IpAddr::from([0x2001, 0xdb8, 1, 3, 3, 4, 5, 6]);
    let tried = |max: u32, call: &dyn Fn(IpAddr) -> bool| {
        assert!((0..max).all(|turn| call(of_one(turn))) && !call(of_one(max)) && call(neighbour));
    };
    tried(1, &|address| limits.check_new_intent(None, address).is_ok());
    tried(CLAIMS_PER_ADDRESS_AND_MINUTE, &|address| {
        limits.check_claim_limit(address).is_ok()
    });
    tried(DIAGNOSTICS_PER_ADDRESS_AND_MINUTE, &|address| {
        limits.may_send_diagnostic(address)
    });
    tried(FORMS_PER_ADDRESS_AND_HOUR, &|address| {
        limits.check_form_on_this_node(address).is_ok()
    });
    tried(WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX, &|address| {
        limits.begin_sign_in("a@demo.test", address).is_ok()
    });
    let limits = Limits::new(Stage::Production);
    let guess = |address: IpAddr| {
        limits
            .begin_sign_in(&format!("{address}@demo.test"), address)
            .is_ok()
    };
    tried(WRONG_PASSWORDS_PER_ADDRESS_MAX, &guess);
    assert_eq!(
        Network::from(of_one(1)).to_string(),
        "2001:db8:1:2::",
        "one row of the books, one count of sockets"
    );
    assert_eq!(
        Network::from(IpAddr::from([0, 0, 0, 0, 0, 0xffff, 0xcb00, 0x7107])),
        EXTERNAL_ADDRESS.into()
    );
}

#[test]
fn sockets_are_limited_by_address_and_by_rate() {
    let limits = Limits::new(Stage::Production);
    assert!(
        limits
            .check_new_socket(EXTERNAL_ADDRESS, SOCKETS_PER_ADDRESS_MAX - 1)
            .is_ok()
    );
    let full = limits
        .check_new_socket(EXTERNAL_ADDRESS, SOCKETS_PER_ADDRESS_MAX)
        .expect_err("no more");
    assert_eq!(full.status(), StatusCode::TOO_MANY_REQUESTS);
    let rush = (0..2 * SOCKETS_PER_SECOND)
        .find_map(|_| limits.check_new_socket(EXTERNAL_ADDRESS, 0).err());
    assert_eq!(
        rush.expect("too many at once").status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
    let demo = Limits::new(Stage::Demo);
    assert!((0..2 * SOCKETS_PER_SECOND).all(|_| {
        demo.check_new_socket(LOOPBACK_ADDRESS, SOCKETS_PER_ADDRESS_MAX)
            .is_ok()
    }));
}

#[test]
fn demo_exempts_its_own_machine_from_limits() {
    let (demo, real) = (Limits::new(Stage::Demo), Limits::new(Stage::Production));
    let joins = |limits: &Limits| {
        (0..=FORMS_PER_ADDRESS_AND_HOUR)
            .all(|_| limits.check_form_on_this_node(LOOPBACK_ADDRESS).is_ok())
    };
    assert!(joins(&demo) && !joins(&real));
    let claims = |limits: &Limits| {
        (0..=CLAIMS_PER_ADDRESS_AND_MINUTE)
            .all(|_| limits.check_claim_limit(LOOPBACK_ADDRESS).is_ok())
    };
    assert!(claims(&demo) && !claims(&real));
}

#[test]
fn account_is_mailed_at_most_three_links_an_hour() {
    let limits = Limits::new(Stage::Production);
    assert!(
        (0..LINK_MAILS_PER_ACCOUNT_AND_HOUR).all(|_| limits.may_mail_on_this_node("a@demo.test"))
    );
    assert!(
        !limits.may_mail_on_this_node("A@demo.test") && limits.may_mail_on_this_node("b@demo.test")
    );
}

#[test]
fn five_declines_block_a_session() {
    let limits = Limits::new(Stage::Production);
    let (alice, bob, here) = ([1; 16], [2; 16], IpAddr::from([192, 0, 2, 1]));
    for turn in 1..=4 {
        assert!(!limits.count_decline(Some(&alice), None), "{turn}");
        assert!(!limits.count_decline(None, Some("card")), "{turn}");
    }
    assert!(limits.check_new_intent(Some(&alice), here).is_ok());
    assert!(limits.count_decline(Some(&alice), None));
    assert!(limits.check_new_intent(Some(&alice), here).is_err());
    assert!(limits.check_new_intent(Some(&bob), here).is_ok());
    assert!(
        limits.count_decline(Some(&bob), Some("card")),
        "first decline of the session, fifth of the card"
    );
    assert!(limits.check_new_intent(Some(&bob), here).is_err());
}

#[test]
fn demo_does_not_count_declines_by_card() {
    let limits = Limits::new(Stage::Demo);
    assert!((0..20).all(|_| !limits.count_decline(None, Some("card"))));
}
