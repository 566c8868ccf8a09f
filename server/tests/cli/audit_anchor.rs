//! Tests of `server audit --anchor`.

use super::{CliEnvironment, output_text};

#[actix_web::test]
async fn audit_compares_the_log_with_a_stored_anchor() {
    let cli = CliEnvironment::open().await;
    assert!(cli.run_with_database(&["fence"], "").status.success());
    let audited = output_text(&cli.run_with_database(&["audit"], ""));
    let anchor = audited
        .lines()
        .find_map(|line| line.strip_prefix("audit log anchor: "))
        .expect("an anchor");
    assert!(
        cli.run_with_database(&["audit", "--anchor", anchor], "")
            .status
            .success()
    );
    assert!(cli.run_with_database(&["fence"], "").status.success());
    assert!(
        cli.run_with_database(&["audit", "--anchor", anchor], "")
            .status
            .success(),
        "a longer log still contains the anchor"
    );

    cli.database
        .execute_sql("alter table audit_log disable trigger user; delete from audit_log")
        .await;
    let output = cli.run_with_database(&["audit", "--anchor", anchor], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        output_text(&output).contains("the audit log lacks this anchored entry"),
        "{}",
        output_text(&output)
    );
    let output = cli.run_with_database(&["audit", "--anchor", "1:zz"], "");
    assert!(
        !output.status.success() && output_text(&output).contains("64 hexadecimal digits"),
        "{}",
        output_text(&output)
    );
}
