use persistence::records::sessions::Holder;

use super::accounts::{
    WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX, WRONG_PASSWORDS_PER_ACCOUNT_MAX,
    WRONG_PASSWORDS_PER_ADDRESS_MAX, WRONG_PASSWORDS_PER_HOLDER_MAX,
};
use super::*;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 7));

/// The address of a network of its own.
fn elsewhere(turn: u32) -> IpAddr {
    IpAddr::from((0xcb00_7100 + turn).to_be_bytes())
}

#[test]
fn wrong_passwords_slow_an_account_and_an_address_down() {
    let limits = Limits::new(Stage::Production);
    for _ in 0..2 * WRONG_PASSWORDS_PER_ADDRESS_MAX {
        limits
            .sign_in("a@demo.test", ELSEWHERE)
            .expect("a right one is none")
            .take_back();
    }
    for _ in 0..WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX {
        assert!(limits.sign_in("a@demo.test", ELSEWHERE).is_ok());
    }
    assert!(
        limits.sign_in(" A@Demo.test ", ELSEWHERE).is_err(),
        "however it is written"
    );
    let owner = limits.sign_in("a@demo.test", HERE);
    owner
        .expect("whoever guessed elsewhere keeps nobody out here")
        .take_back();
    let clubhouse = limits.sign_in("b@demo.test", ELSEWHERE);
    clubhouse
        .expect("another account of the same clubhouse")
        .take_back();
    for turn in WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX..WRONG_PASSWORDS_PER_ADDRESS_MAX {
        assert!(
            limits
                .sign_in(&format!("{turn}@demo.test"), ELSEWHERE)
                .is_ok()
        );
    }
    assert!(limits.sign_in("b@demo.test", ELSEWHERE).is_err());
    assert!(limits.sign_in("b@demo.test", HERE).is_ok());
}

#[test]
fn an_account_is_guessed_at_fifty_times_from_however_many_addresses() {
    let limits = Limits::new(Stage::Production);
    let guess = |turn: u32| limits.sign_in("a@demo.test", elsewhere(turn % 25)).is_ok();
    assert!((0..WRONG_PASSWORDS_PER_ACCOUNT_MAX).all(guess));
    assert!(!(WRONG_PASSWORDS_PER_ACCOUNT_MAX..100).any(guess));
    assert!(
        limits.sign_in("a@demo.test", HERE).is_err(),
        "from anywhere"
    );
    assert!(
        limits.sign_in("b@demo.test", elsewhere(0)).is_ok(),
        "another account"
    );
}

/// Who writes another one's place into the name of an account counts for nobody else.
#[test]
fn no_account_reads_as_another_ones_somewhere_else() {
    let limits = Limits::new(Stage::Production);
    for named in [
        format!("a@demo.test from {HERE}"),
        format!("{HERE} of a@demo.test"),
        HERE.to_string(),
    ] {
        while limits.sign_in(&named, ELSEWHERE).is_ok() {}
    }
    assert!(limits.sign_in("a@demo.test", HERE).is_ok());
}

#[test]
fn a_password_that_is_shown_once_more_is_counted_apart_from_signing_in() {
    let limits = Limits::new(Stage::Production);
    let holder = Holder::Club(domain::ClubId(7));
    while limits.sign_in("a@demo.test", HERE).is_ok() {}
    assert!((0..WRONG_PASSWORDS_PER_HOLDER_MAX).all(|_| limits.password_again(holder).is_ok()));
    assert!(limits.password_again(holder).is_err());
    assert!(
        limits
            .password_again(Holder::Club(domain::ClubId(8)))
            .is_ok()
    );
    assert!(limits.sign_in("a@demo.test", ELSEWHERE).is_ok());
}

#[test]
fn who_brings_no_cookie_opens_one_payment_while_a_reservation_lasts() {
    let limits = Limits::new(Stage::Production);
    assert!(limits.new_intent(None, ELSEWHERE).is_ok());
    assert!((0..1_000).all(|_| limits.new_intent(None, ELSEWHERE).is_err()));
    assert!(limits.new_intent(None, HERE).is_ok(), "of another address");
    assert!(
        limits.new_intent(Some(&[3; 16]), ELSEWHERE).is_ok(),
        "who has a cookie is not kept waiting by them"
    );
    let demo = Limits::new(Stage::Demo);
    assert!((0..20).all(|_| demo.new_intent(None, HERE).is_ok()));
}

/// A provider gives each customer 2^64 addresses: all of them are one caller.
#[test]
fn the_addresses_of_one_ipv6_customer_share_every_limit_by_address() {
    let limits = Limits::new(Stage::Production);
    let of_one = |turn: u32| IpAddr::from([0x2001, 0xdb8, 1, 2, 3, 4, 5, turn as u16]);
    let neighbour = IpAddr::from([0x2001, 0xdb8, 1, 3, 3, 4, 5, 6]);
    let tried = |max: u32, call: &dyn Fn(IpAddr) -> bool| {
        assert!((0..max).all(|turn| call(of_one(turn))) && !call(of_one(max)) && call(neighbour));
    };
    tried(1, &|address| limits.new_intent(None, address).is_ok());
    tried(CLAIMS_PER_ADDRESS_AND_MINUTE, &|address| {
        limits.claiming(address).is_ok()
    });
    tried(LOGS_PER_ADDRESS_AND_MINUTE, &|address| {
        limits.may_log(address)
    });
    tried(FORMS_PER_ADDRESS_AND_HOUR, &|address| {
        limits.form_here(address).is_ok()
    });
    tried(WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX, &|address| {
        limits.sign_in("a@demo.test", address).is_ok()
    });
    let limits = Limits::new(Stage::Production);
    let guess = |address: IpAddr| {
        limits
            .sign_in(&format!("{address}@demo.test"), address)
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
        ELSEWHERE.into()
    );
}

#[test]
fn an_address_keeps_a_thousand_sockets_and_the_server_takes_some_hundreds_a_second() {
    let limits = Limits::new(Stage::Production);
    assert!(
        limits
            .new_socket(ELSEWHERE, SOCKETS_PER_ADDRESS_MAX - 1)
            .is_ok()
    );
    let full = limits
        .new_socket(ELSEWHERE, SOCKETS_PER_ADDRESS_MAX)
        .expect_err("no more");
    assert_eq!(full.status(), StatusCode::TOO_MANY_REQUESTS);
    let rush = (0..2 * SOCKETS_PER_SECOND)
        .filter_map(|_| limits.new_socket(ELSEWHERE, 0).err())
        .next();
    assert_eq!(
        rush.expect("too many at once").status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
    let demo = Limits::new(Stage::Demo);
    assert!(
        (0..2 * SOCKETS_PER_SECOND).all(|_| demo.new_socket(HERE, SOCKETS_PER_ADDRESS_MAX).is_ok())
    );
}

#[test]
fn the_demo_lets_this_machine_knock_as_often_as_it_likes() {
    let (demo, real) = (Limits::new(Stage::Demo), Limits::new(Stage::Production));
    let joins =
        |limits: &Limits| (0..=FORMS_PER_ADDRESS_AND_HOUR).all(|_| limits.form_here(HERE).is_ok());
    assert!(joins(&demo) && !joins(&real));
    let claims = |limits: &Limits| {
        (0..=CLAIMS_PER_ADDRESS_AND_MINUTE).all(|_| limits.claiming(HERE).is_ok())
    };
    assert!(claims(&demo) && !claims(&real));
}

#[test]
fn an_account_is_mailed_three_links_an_hour() {
    let limits = Limits::new(Stage::Production);
    assert!((0..LINKS_PER_ACCOUNT_AND_HOUR).all(|_| limits.links_here("a@demo.test")));
    assert!(!limits.links_here("A@demo.test") && limits.links_here("b@demo.test"));
}

#[test]
fn five_declines_of_a_session_or_of_a_card_are_enough() {
    let limits = Limits::new(Stage::Production);
    let (alice, bob, here) = ([1; 16], [2; 16], IpAddr::from([192, 0, 2, 1]));
    for turn in 1..=4 {
        assert!(!limits.declined(Some(&alice), None), "{turn}");
        assert!(!limits.declined(None, Some("card")), "{turn}");
    }
    assert!(limits.new_intent(Some(&alice), here).is_ok());
    assert!(limits.declined(Some(&alice), None));
    assert!(limits.new_intent(Some(&alice), here).is_err());
    assert!(limits.new_intent(Some(&bob), here).is_ok());
    assert!(
        limits.declined(Some(&bob), Some("card")),
        "his first, the card's fifth"
    );
    assert!(limits.new_intent(Some(&bob), here).is_err());
}

#[test]
fn everybodys_test_card_is_nobodys() {
    let limits = Limits::new(Stage::Demo);
    assert!((0..20).all(|_| !limits.declined(None, Some("card"))));
}
