//! Tests of the changes that only the demo's seed data makes, in Postgres.

use domain::{Cents, FeePolicy, Timestamp};
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::records::draws::DrawToCreate;
use persistence::{Postgres, Sealer};

const NOW: Timestamp = Timestamp(1_795_165_800_000);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn open_database() -> (Postgres, Records) {
    let database = persistence::testing::database().await;
    let postgres = Postgres::connect_with(database.options, Sealer::new(&[7; 32]))
        .await
        .expect("connected");
    (postgres.clone(), Records::new(postgres))
}

fn new_club() -> NewClub {
    NewClub {
        name: "Sharks".into(),
        email: "sharks@demo.test".into(),
        slug: "sharks".into(),
        ..NewClub::default()
    }
}

#[tokio::test]
async fn backdated_draw_moves_with_its_orders() {
    let (_postgres, records) = open_database().await;
    let club = records.create_club(&new_club()).await.expect("a club").id;
    let draw = DrawToCreate {
        club,
        league: None,
        home_team: "Sharks".into(),
        away_team: "Tigers".into(),
        zone: "Australia/Brisbane".into(),
        kick_off: NOW,
        opens_at: None,
        price: Cents(500),
        prize_percentage: 50,
        round_up_prize: false,
        pass_card_fee: false,
        fee_policy: FeePolicy::DEFAULT,
        contact_name: "Sam".into(),
        contact_phone: "0400 000 000".into(),
    };
    let ids = records
        .create_draws(&[draw.clone(), draw])
        .await
        .expect("two draws");
    let before = records.catalogue_revision().await.expect("a revision");
    records
        .backdate_draw(ids[0], 3 * DAY_MS)
        .await
        .expect("moved");
    let listings = records.listings().await.expect("listings");
    let kick_off = |id| {
        listings
            .iter()
            .find(|listing| listing.id() == id)
            .expect("listed")
            .view
            .closes_at
    };
    assert_eq!(kick_off(ids[0]), NOW.plus_ms(-3 * DAY_MS));
    assert_eq!(kick_off(ids[1]), NOW, "the other draw stays");
    assert!(
        records.catalogue_revision().await.expect("a revision") > before,
        "the catalogue changed"
    );
}

#[tokio::test]
async fn interrupted_demo_seed_can_be_repeated() {
    let (postgres, records) = open_database().await;
    records.create_club(&new_club()).await.expect("a club");
    postgres.drop_all_tables().await.expect("forgotten");
    postgres.migrate().await.expect("migrated again");
    assert!(records.clubs().await.expect("read").is_empty());
    records
        .create_club(&new_club())
        .await
        .expect("a club again");
}
