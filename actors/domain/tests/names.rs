//! Tests of the access rules, and of the formats of ids, serials and slugs.

use domain::access::{
    Audience, Principal, Role, may_call_route, may_see_bank_details, may_see_buyers, may_see_club,
};
use domain::club::{SLUGS_RESERVED, slug_is_valid};
use domain::{ClubId, DrawId, GameResult, OrderId, Serial, Timestamp};

#[test]
fn access_matrix_allows_exactly_the_listed_principals() {
    type AccessCheck = fn(Principal, ClubId) -> bool;

    let who = [
        Principal::Anonymous,
        Principal::HalfOperator,
        Principal::Club(ClubId(1), Role::Viewer),
        Principal::Club(ClubId(1), Role::Seller),
        Principal::Club(ClubId(1), Role::Owner),
        Principal::Operator,
    ];
    let matrix = [
        (Audience::Public, [true, true, true, true, true, true]),
        (Audience::Buyer, [true, true, true, true, true, true]),
        (Audience::SignedIn, [false, true, true, true, true, true]),
        (Audience::Club, [false, false, true, true, true, true]),
        (Audience::Seller, [false, false, false, true, true, true]),
        (Audience::Owner, [false, false, false, false, true, true]),
        (
            Audience::ProvenSeller,
            [false, false, false, true, true, true],
        ),
        (
            Audience::ProvenOwner,
            [false, false, false, false, true, true],
        ),
        (
            Audience::Operator,
            [false, false, false, false, false, true],
        ),
        (
            Audience::ProvenOperator,
            [false, false, false, false, false, true],
        ),
        (Audience::Machine, [true, true, true, true, true, true]),
        (Audience::Node, [false; 6]),
    ];
    for (audience, allowed) in matrix {
        assert_eq!(
            who.map(|who| may_call_route(who, audience)),
            allowed,
            "{audience:?}"
        );
    }
    let objects: [(AccessCheck, [bool; 6]); 3] = [
        (may_see_club, [false, false, true, true, true, true]),
        (may_see_buyers, [false, false, false, true, true, true]),
        (
            may_see_bank_details,
            [false, false, false, false, true, true],
        ),
    ];
    for (knows, allowed) in objects {
        assert_eq!(who.map(|who| knows(who, ClubId(1))), allowed);
        assert_eq!(
            who.map(|who| knows(who, ClubId(2))),
            [false, false, false, false, false, true],
            "another club's"
        );
    }
}

#[test]
fn role_names_parse_back_to_their_roles() {
    assert_eq!(
        Role::ALL.map(|role| Role::from_name(role.name())),
        Role::ALL.map(Some)
    );
    assert_eq!(
        (
            Role::from_name("admin"),
            Role::from_name("Owner"),
            Role::from_name("")
        ),
        (None, None, None)
    );
}

#[test]
fn slug_is_valid_with_3_to_50_plain_characters_unless_reserved() {
    let fifty = "a".repeat(50);
    for slug in ["abc", "fc-2000", "---", fifty.as_str()] {
        assert!(slug_is_valid(slug), "{slug}");
    }
    let too_long = "a".repeat(51);
    for slug in ["", "ab", "Abc", "a b", "a_b", "été", too_long.as_str()]
        .iter()
        .chain(&SLUGS_RESERVED)
    {
        assert!(!slug_is_valid(slug), "{slug}");
    }
}

#[test]
fn order_id_is_formatted_as_a_uuid() {
    let id = OrderId(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    assert_eq!(id.to_string(), "01234567-89ab-cdef-0123-456789abcdef");
    assert_eq!(
        format!("{:?}", OrderId(1)),
        "00000000-0000-0000-0000-000000000001"
    );
}

#[test]
fn ticket_label_contains_the_draw_number() {
    let label = |number| Serial::new(number).expect("1…169").label(DrawId(1042));
    assert_eq!(
        [label(1), label(42), label(169)],
        ["FD-1042-001", "FD-1042-042", "FD-1042-169"]
    );
}

#[test]
fn result_outside_one_to_thirteen_is_rejected() {
    for (home, away, fits) in [
        (1, 13, true),
        (0, 9, false),
        (9, 0, false),
        (14, 9, false),
        (9, 14, false),
    ] {
        assert_eq!(GameResult::new(home, away).is_some(), fits, "{home}–{away}");
    }
}

#[test]
fn timestamps_count_milliseconds() {
    let noon = Timestamp(1_000);
    assert_eq!(noon.plus_seconds(120).ms_since(noon), 120_000);
    assert_eq!(noon.ms_since(noon.plus_ms(1)), -1);
}
