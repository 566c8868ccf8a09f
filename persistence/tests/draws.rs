//! Tests of the creation of draws.

use domain::{Cents, ClubId, DrawId, Terms, Timestamp};
use persistence::Failure;
use persistence::postgres::draws::NewDraw;
use persistence::seal::SEED_SEAL_PURPOSE;
use persistence::testing::{database, sealer};

const TERMS: Terms = Terms {
    price: Cents(500),
    prize_percentage: 50,
    round_up_prize: false,
    opens_at: None,
    closes_at: Timestamp(1_900_000_000_000),
};

#[tokio::test]
async fn created_draw_has_number_commitment_and_sealed_seed() {
    let database = database().await;
    let postgres = database.postgres().await;
    let mut connection = database.connection().await;
    sqlx::query(
        "insert into clubs (name, email, password, home_page_slug) values ('A', 'a@a', 'x', 'a')",
    )
    .execute(&mut connection)
    .await
    .expect("a club");

    let new = NewDraw::with_defaults(ClubId(1), "Broncos", "Eels", TERMS);
    let seed = new.seed.clone();
    assert_eq!(postgres.create_draw(new).await, Ok(DrawId(1001)));
    let many = (0..3)
        .map(|_| NewDraw::with_defaults(ClubId(1), "Storm", "Sharks", TERMS))
        .collect();
    assert_eq!(
        postgres.create_draws(many).await,
        Ok(vec![DrawId(1002), DrawId(1003), DrawId(1004)])
    );

    let (commitment, sealed): (Vec<u8>, Vec<u8>) =
        sqlx::query_as("select commitment, seed_sealed from draws where id = 1001")
            .fetch_one(&mut connection)
            .await
            .expect("the draw");
    assert_eq!(commitment, seed.commitment(DrawId(1001)));
    assert_eq!(
        sealer().open(SEED_SEAL_PURPOSE, 1001, &sealed),
        Ok(seed.0.to_vec())
    );
    assert!(
        !sealed.windows(32).any(|window| window == seed.0),
        "the seed is stored in the clear"
    );
}

#[tokio::test]
async fn draw_of_unknown_club_prevents_the_whole_batch() {
    let database = database().await;
    let postgres = database.postgres().await;
    let draws = vec![NewDraw::with_defaults(ClubId(9), "Storm", "Sharks", TERMS)];
    assert!(matches!(
        postgres.create_draws(draws).await,
        Err(Failure::NotWritten(_))
    ));
}
