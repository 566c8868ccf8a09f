//! Whatever one node says, the other hears.

use actors::Errand as Given;
use domain::{AccountId, ClubId, Line, PaymentIntentId};
use persistence::ledger::{BuyerDetails, DrawDetails, NewOrder, Rider};
use persistence::records::audit::Act;

use super::*;

const ORDER: OrderId = OrderId(7);
const AT: Timestamp = Timestamp(1_900_000_000_000);

/// There and back as text.
fn heard(errand: &Given) -> Given {
    let text = serde_json::to_string(&Errand::of(Uuid::from_u128(1), errand)).expect("written");
    serde_json::from_str::<Errand>(&text)
        .expect("read")
        .read()
        .expect("of the domain")
}

fn plain(command: Asked) -> Given {
    Given {
        command,
        rider: None,
        act: None,
    }
}

#[test]
fn every_command_arrives_as_it_was_sent() {
    let edits = [
        TermsEdit::default(),
        TermsEdit {
            opens_at: Some(None),
            price: Some(Cents(700)),
            ..TermsEdit::default()
        },
        TermsEdit {
            opens_at: Some(Some(AT)),
            closes_at: Some(AT),
            round_up_prize: Some(true),
            ..TermsEdit::default()
        },
    ];
    let amend = |edit| {
        [Editor::Club, Editor::Operator].map(|by| Asked::Amend {
            edit,
            by,
            described: true,
        })
    };
    let mut commands = vec![
        Asked::Reserve {
            order: ORDER,
            count: 3,
            until: AT,
        },
        Asked::Extend {
            order: ORDER,
            until: AT,
        },
        Asked::Release { order: ORDER },
        Asked::Allocate {
            order: ORDER,
            count: 3,
            unit_price: Cents(500),
            authority: Authority::Sale,
        },
        Asked::Allocate {
            order: ORDER,
            count: 3,
            unit_price: Cents(500),
            authority: Authority::Repair { authorised_at: AT },
        },
        Asked::Void {
            order: ORDER,
            charged: true,
        },
        Asked::Tick,
        Asked::Complete {
            result: GameResult::new(13, 1).expect("a result"),
        },
        Asked::Undo,
        Asked::Archive { archived: true },
        Asked::Cancel,
    ];
    commands.extend(edits.into_iter().flat_map(amend));
    for command in commands {
        assert_eq!(heard(&plain(command.clone())).command, command);
    }
}

#[test]
fn every_rider_arrives_with_its_act() {
    let line = Line {
        draw: DrawId(1042),
        count: 2,
        unit_price: Cents(500),
        card_fee: Cents(39),
    };
    let order = NewOrder {
        id: ORDER,
        club: ClubId(3),
        account: AccountId("acct_3".into()),
        client_key: "key".into(),
        token: "ab".repeat(16),
        lines: vec![line],
        buyer: BuyerDetails {
            name: Some("Zoë".into()),
            email: Some("zoe@buyer.test".into()),
            phone: None,
        },
        at: AT,
        authorised_at: Some(AT),
        payment_intent: Some(PaymentIntentId("pi_3".into())),
    };
    let details = DrawDetails {
        league: Some(None),
        zone: Some("Australia/Perth".into()),
        ..DrawDetails::default()
    };
    let riders = [
        Rider::Open(order),
        Rider::Reprice {
            order: ORDER,
            lines: vec![line],
        },
        Rider::Authorised {
            order: ORDER,
            at: AT,
        },
        Rider::Describe(details),
    ];
    let act = Act {
        actor: "club:3",
        club: Some(ClubId(3)),
        action: "edit-draw",
        object: "draw:1042",
        ip: None,
    };
    let entry = act.entry(serde_json::json!({ "price": 700 }));
    for rider in riders {
        let sent = Given {
            command: Asked::Undo,
            rider: Some(rider),
            act: Some(entry.clone()),
        };
        assert_eq!(format!("{:?}", heard(&sent)), format!("{sent:?}"));
    }
}

#[test]
fn every_answer_arrives() {
    let view = View {
        draw: DrawId(1042),
        revision: 17,
        status: Status::Completed,
        sold: 100,
        held: 0,
        price: Cents(500),
        prize: Cents(25_000),
        prize_max: Cents(42_250),
        closes_at: AT,
        result: Some((
            GameResult::new(2, 12).expect("a result"),
            Serial::new(169).expect("a serial"),
        )),
    };
    let done = Committed {
        view,
        reservation: Some(Reservation {
            count: 3,
            until: AT,
            extensions: 2,
        }),
        allocation: Some(Allocation {
            serials: vec![Serial::new(5).expect("a serial")],
            fee: Cents(18),
        }),
        written: true,
    };
    let refused = REFUSALS
        .iter()
        .map(|(_, make)| Err(Denied::Refused(make(9))));
    let denied = [Denied::Unavailable, Denied::Paused, Denied::NoSuchDraw].map(Err);
    for answer in [Ok(done)].into_iter().chain(denied).chain(refused) {
        let text = serde_json::to_string(&Answer::of(&answer)).expect("written");
        assert_eq!(
            serde_json::from_str::<Answer>(&text).expect("read").read(),
            Some(answer)
        );
    }
}
