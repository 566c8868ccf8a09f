//! Commands on the database of a demo whose clock has been moved.

use super::{CliEnvironment, SEASON_CSV, output_text};

/// The moved clock may be later than the imported games. The command must use this clock, as
/// `serve` does.
#[actix_web::test]
async fn import_fixtures_uses_the_demos_moved_clock() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let hundred_years_ms = 100 * 366 * 86_400_000;
    cli.records
        .move_clock_ahead(hundred_years_ms)
        .await
        .expect("moved");
    let file = cli.write_fixture_file(SEASON_CSV);
    let output = cli.run_with_database(
        &[
            "import-fixtures",
            &file,
            "--club",
            "sharks",
            "--price",
            "5",
            "--prize",
            "50",
        ],
        "",
    );
    assert!(!output.status.success(), "{}", output_text(&output));
    assert!(
        output_text(&output).contains("fixtures.csv:2: "),
        "{}",
        output_text(&output)
    );
    assert_eq!(cli.count_stored_draws().await, 0);
}
