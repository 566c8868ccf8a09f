//! The demo's season: draws are created and completed, so that an old demo still has draws on sale.

use domain::{Command, GameResult, Status, Timestamp, View};
use server::cli::demo::plan::CLUBS;
use server::cli::demo::season::DemoSeasonUpdater;

use crate::support::TestServer;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Returns the minutes until kick-off of each draw on sale, in ascending order.
fn minutes_until_kick_offs(views: &[View], now: Timestamp) -> Vec<i64> {
    let on_sale = views
        .iter()
        .filter(|view| view.status == Status::Active && view.closes_at > now);
    let mut minutes: Vec<i64> = on_sale
        .map(|view| (view.closes_at.0 - now.0) / 60_000)
        .collect();
    minutes.sort_unstable();
    minutes
}

#[actix_web::test]
async fn demo_left_for_ten_days_keeps_selling_and_completing_games() {
    let server = TestServer::start().await;
    for club in &CLUBS {
        server.create_club(club.slug).await;
    }
    let keeper = DemoSeasonUpdater::of(server.state.clone(), &server.engine, server.clock.clone());
    for visit in 1..=2 {
        keeper.update_season().await.expect("the season goes on");
        let views = server.engine.draws.views();
        let ahead = minutes_until_kick_offs(&views, server.now());
        assert!(ahead.len() >= 9, "visit {visit}: {ahead:?}");
        assert!(
            ahead[0] <= 60 && ahead[ahead.len() - 1] > 4 * 24 * 60,
            "visit {visit}: {ahead:?}"
        );
        let sold = views
            .iter()
            .filter(|view| view.closes_at > server.now() && view.sold > 0)
            .count();
        assert!(sold >= 9, "most draws have sold tickets");
        let waiting = |view: &&View| view.result.is_none() && view.closes_at <= server.now();
        assert!(
            views.iter().filter(waiting).count() <= 2,
            "visit {visit}: games wait for their result"
        );
        server.clock.advance_seconds(10 * DAY_SECONDS);
    }
    assert!(
        server
            .engine
            .draws
            .views()
            .iter()
            .any(|view| view.result.is_some()),
        "earlier games have results"
    );
    server.finish().await;
}

#[actix_web::test]
async fn undone_result_is_left_to_the_operator() {
    let server = TestServer::start().await;
    for club in &CLUBS {
        server.create_club(club.slug).await;
    }
    let season = DemoSeasonUpdater::of(server.state.clone(), &server.engine, server.clock.clone());
    season.update_season().await.expect("the season goes on");
    server.clock.advance_seconds(10 * DAY_SECONDS);
    let draws = &server.engine.draws;
    let views = draws.views();
    let oldest = views
        .iter()
        .min_by_key(|view| view.closes_at)
        .expect("a draw")
        .draw;
    let result = GameResult::new(3, 11).expect("a result");
    draws
        .execute(oldest, Command::Complete { result }, None)
        .await
        .expect("completed");
    draws.undo_draw_result(oldest).await.expect("undone");
    season.update_season().await.expect("the season goes on");
    let views = draws.views();
    let result_of = |view: &View| view.result.is_some();
    assert!(
        views.iter().any(result_of),
        "other old games got their results"
    );
    let undone = views
        .iter()
        .find(|view| view.draw == oldest)
        .expect("the draw is awake");
    assert_eq!((undone.result, undone.status), (None, Status::Closed));
    server.finish().await;
}
