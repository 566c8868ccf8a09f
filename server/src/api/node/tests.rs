//! Tests that every message between nodes is the same after serialisation and parsing.

use actors::DrawRequest;
use domain::{AccountId, ClubId, Line, PaymentIntentId};
use persistence::ledger::{AttachedWrite, BuyerDetails, DrawDetails, NewOrder};
use persistence::records::audit::AuditAction;

use super::*;

const ORDER_ID: OrderId = OrderId(7);
const TEST_TIME: Timestamp = Timestamp(1_900_000_000_000);

/// Serialises a request, parses the JSON again, and returns the parsed request.
fn round_trip(request: &DrawRequest) -> DrawRequest {
    let text = serde_json::to_string(&WireDrawRequest::from_domain(Uuid::from_u128(1), request))
        .expect("written");
    serde_json::from_str::<WireDrawRequest>(&text)
        .expect("read")
        .into_domain()
        .expect("of the domain")
}

fn request(command: DrawCommand) -> DrawRequest {
    DrawRequest {
        command,
        attached_write: None,
        audit_entry: None,
        source: None,
    }
}

#[test]
fn every_command_survives_serialisation() {
    let edits = [
        TermsEdit::default(),
        TermsEdit {
            opens_at: Some(None),
            price: Some(Cents(700)),
            ..TermsEdit::default()
        },
        TermsEdit {
            opens_at: Some(Some(TEST_TIME)),
            closes_at: Some(TEST_TIME),
            round_up_prize: Some(true),
            ..TermsEdit::default()
        },
    ];
    let amend = |edit| {
        [TermsEditor::Club, TermsEditor::Operator].map(|by| DrawCommand::Amend {
            edit,
            by,
            described: true,
        })
    };
    let mut commands = vec![
        DrawCommand::Reserve {
            order: ORDER_ID,
            count: 3,
            until: TEST_TIME,
        },
        DrawCommand::Extend {
            order: ORDER_ID,
            until: TEST_TIME,
        },
        DrawCommand::Release { order: ORDER_ID },
        DrawCommand::Allocate {
            order: ORDER_ID,
            count: 3,
            unit_price: Cents(500),
            authority: AllocationAuthority::Sale,
        },
        DrawCommand::Allocate {
            order: ORDER_ID,
            count: 3,
            unit_price: Cents(500),
            authority: AllocationAuthority::Repair {
                authorised_at: TEST_TIME,
            },
        },
        DrawCommand::Void {
            order: ORDER_ID,
            charged: true,
        },
        DrawCommand::Tick,
        DrawCommand::Complete {
            result: GameResult::new(13, 1).expect("a result"),
        },
        DrawCommand::Undo,
        DrawCommand::Archive { archived: true },
        DrawCommand::Cancel,
    ];
    commands.extend(edits.into_iter().flat_map(amend));
    for command in commands {
        assert_eq!(round_trip(&request(command.clone())).command, command);
    }
}

#[test]
fn draw_request_round_trips_with_and_without_source() {
    let command = DrawCommand::Reserve {
        order: ORDER_ID,
        count: 3,
        until: TEST_TIME,
    };
    let source = Some(ReservationSource {
        id: ReservationSourceId(u128::MAX),
        has_paid: true,
    });
    assert_eq!(
        round_trip(&DrawRequest {
            source,
            ..request(command.clone())
        })
        .source,
        source
    );
    assert_eq!(round_trip(&request(command.clone())).source, None);
    let text = serde_json::to_string(&WireDrawRequest::from_domain(
        Uuid::from_u128(1),
        &request(command.clone()),
    ))
    .expect("written");
    assert!(!text.contains("source"), "{text}");
    let newer = text.replace("\"count\"", "\"something_new\":{\"id\":1},\"count\"");
    let read = serde_json::from_str::<WireDrawRequest>(&newer)
        .expect("read")
        .into_domain()
        .expect("of the domain");
    assert_eq!(read.command, command);
}

#[test]
fn every_attached_write_and_audit_entry_survives_serialisation() {
    let line = Line {
        draw: DrawId(1042),
        count: 2,
        unit_price: Cents(500),
        card_fee: Cents(39),
    };
    let order = NewOrder {
        id: ORDER_ID,
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
        at: TEST_TIME,
        authorised_at: Some(TEST_TIME),
        payment_intent: Some(PaymentIntentId("pi_3".into())),
    };
    let details = DrawDetails {
        league: Some(None),
        zone: Some("Australia/Perth".into()),
        ..DrawDetails::default()
    };
    let riders = [
        AttachedWrite::Open(order),
        AttachedWrite::Reprice {
            order: ORDER_ID,
            lines: vec![line],
        },
        AttachedWrite::Authorised {
            order: ORDER_ID,
            at: TEST_TIME,
        },
        AttachedWrite::Describe(details),
    ];
    let act = AuditAction {
        actor: "club:3",
        club: Some(ClubId(3)),
        action: "edit-draw",
        object: "draw:1042",
        ip: None,
    };
    let entry = act.entry(serde_json::json!({ "price": 700 }));
    for rider in riders {
        let sent = DrawRequest {
            command: DrawCommand::Undo,
            attached_write: Some(rider),
            audit_entry: Some(entry.clone()),
            source: None,
        };
        assert_eq!(format!("{:?}", round_trip(&sent)), format!("{sent:?}"));
    }
}

#[test]
fn every_response_survives_serialisation() {
    let view = View {
        draw: DrawId(1042),
        revision: 17,
        status: Status::Completed,
        sold: 100,
        held: 0,
        price: Cents(500),
        prize: Cents(25_000),
        prize_max: Cents(42_250),
        closes_at: TEST_TIME,
        deal_public: true,
        result: Some((
            GameResult::new(2, 12).expect("a result"),
            Serial::new(169).expect("a serial"),
        )),
    };
    let done = CommandOutcome {
        view,
        reservation: Some(Reservation {
            count: 3,
            until: TEST_TIME,
            extensions: 2,
        }),
        allocation: Some(Allocation {
            serials: vec![Serial::new(5).expect("a serial")],
            fee: Cents(18),
        }),
        written: true,
    };
    let refused = WIRE_REFUSAL_NAMES
        .iter()
        .map(|(_, make)| Err(Denied::Refused(make(9))));
    let denied = [Denied::Unavailable, Denied::Paused, Denied::NoSuchDraw].map(Err);
    for answer in [Ok(done)].into_iter().chain(denied).chain(refused) {
        let text = serde_json::to_string(&DrawResponse::from_domain(&answer)).expect("written");
        assert_eq!(
            serde_json::from_str::<DrawResponse>(&text)
                .expect("read")
                .into_domain(),
            Some(answer)
        );
    }
}
