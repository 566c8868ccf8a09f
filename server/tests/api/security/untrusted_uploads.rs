//! An upload of up to 2 MB costs at most one second of processor time and never crashes the server.
//! Only clubs with a confirmed e-mail address can upload.

use std::time::Duration;

use actix_web::rt::System;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::resource::{UsageWho, getrusage};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{FileFailurePersistence, RngAlgorithm, RngSeed, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};

use super::hostile_files::{
    HOSTILE_FILE_KINDS, HostileFileKind, blurred_rectangles, generate_hostile_file,
    nested_elements, png, svg_document,
};
use crate::support::buyer::ApiResponse;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const LOGO_BYTES_MAX: usize = 2 * 1024 * 1024;
const UPLOAD_PROCESSOR_TIME_MAX: Duration = Duration::from_secs(1);
/// Number of generated files per run. The environment variables `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` change the number and the files.
const GENERATED_FILE_COUNT: u32 = 16;
/// File with the seeds of generated files that once failed the test. Each run starts with these
/// seeds, and appends those of new failures.
const PROPTEST_REGRESSIONS_PATH: &str = "tests/api/security/untrusted_uploads.regressions";
/// Environment variable that is set in the child process in which the test measures.
const MEASURING_CHILD_VARIABLE: &str = "UPLOADS_MEASURED";

fn logo_upload_body(bytes: &[u8]) -> String {
    json!({ "logoUrl": format!("data:image/png;base64,{}", STANDARD.encode(bytes)) }).to_string()
}

fn share_image_upload_body(bytes: &[u8]) -> String {
    json!({ "clubSlug": "broncos", "data": STANDARD.encode(bytes) }).to_string()
}

struct UploadFixture {
    server: TestServer,
    browser: Buyer,
    page: String,
    table: String,
}

impl UploadFixture {
    async fn open() -> UploadFixture {
        let server = TestServer::start().await;
        let id = server.create_club("broncos").await.id;
        let browser = club::sign_in_as_club(&server, "broncos").await;
        let (page, table) = (
            format!("/api/clubs/{id}/home-page"),
            format!("/api/clubs/{id}/fixtures?dryRun=true"),
        );
        UploadFixture {
            server,
            browser,
            page,
            table,
        }
    }

    async fn send(&self, method: Method, path: &str, kind: &str, body: String) -> ApiResponse {
        let request = self
            .browser
            .bare_request(method, path)
            .header("origin", &self.server.url)
            .header("content-type", kind);
        Buyer::send_request(request.body(body)).await
    }

    async fn send_logo(&self, bytes: &[u8]) -> ApiResponse {
        self.send(
            Method::PATCH,
            &self.page,
            "application/json",
            logo_upload_body(bytes),
        )
        .await
    }

    async fn current_logo(&self) -> Value {
        self.server.bob().get("/api/clubs/slug/broncos").await.ok()["logoUrl"].clone()
    }

    /// Sends a body, and asserts the response's status and the limit of processor time.
    async fn check_upload_cost(
        &self,
        name: &str,
        method: Method,
        path: &str,
        kind: &str,
        body: String,
    ) {
        let before = processor_time();
        let answer = self.send(method, path, kind, body).await;
        let spent = processor_time().checked_sub(before).unwrap();
        assert!(
            answer.status < 500,
            "{name}: {} {}",
            answer.status,
            answer.text
        );
        assert!(
            spent <= UPLOAD_PROCESSOR_TIME_MAX,
            "{name}: {spent:?} of processor time"
        );
        println!("{name}: {} {spent:?}", answer.status);
    }

    async fn check_picture_upload_cost(&self, name: &str, bytes: &[u8]) {
        self.check_upload_cost(
            name,
            Method::PATCH,
            &self.page,
            "application/json",
            logo_upload_body(bytes),
        )
        .await;
        // An SVG, which begins with this character, is not accepted as a share image.
        if bytes.starts_with(b"<") {
            return;
        }
        self.check_upload_cost(
            name,
            Method::POST,
            "/api/uploads/bundle-image",
            "application/json",
            share_image_upload_body(bytes),
        )
        .await;
    }
}

/// Returns the processor time of this process and of its finished child processes.
fn processor_time() -> Duration {
    let usage_of = |who| {
        let usage = getrusage(who).expect("usage");
        let micros = |time: nix::sys::time::TimeVal| {
            time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64
        };
        Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time()))
    };
    usage_of(UsageWho::RUSAGE_SELF) + usage_of(UsageWho::RUSAGE_CHILDREN)
}

/// Returns files that once crashed the process or took seconds, and one file of each generated
/// kind. Each has a name.
fn known_hostile_files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        (
            "1,020 nested groups".to_string(),
            nested_elements("g", 1020).into_bytes(),
        ),
        (
            "1,020 nested drawings".to_string(),
            nested_elements("svg", 1020).into_bytes(),
        ),
        (
            "160 blurred rectangles".to_string(),
            blurred_rectangles(160).into_bytes(),
        ),
    ];
    files.extend(HOSTILE_FILE_KINDS.map(|kind| {
        (
            format!("{kind:?} of 2 MB"),
            generate_hostile_file(kind, LOGO_BYTES_MAX - 4096, 1042),
        )
    }));
    files
}

fn hostile_json_bodies() -> [(&'static str, String); 8] {
    [
        (
            "arrays in arrays",
            format!("{{\"logoUrl\":{}", "[".repeat(1_000_000)),
        ),
        ("objects in objects", "{\"a\":".repeat(200_000)),
        (
            "many names",
            format!(
                "{{{}\"a\":1}}",
                (0..80_000)
                    .map(|n| format!("\"{n}\":1,"))
                    .collect::<Vec<_>>()
                    .concat()
            ),
        ),
        (
            "a long number",
            format!("{{\"a\":1{}}}", "0".repeat(1_000_000)),
        ),
        (
            "escapes",
            format!("{{\"logoUrl\":\"{}\"}}", "\\u00e9".repeat(300_000)),
        ),
        (
            "a title of 2 MB",
            json!({ "homePageTitle": "é".repeat(1_000_000) }).to_string(),
        ),
        (
            "an address of 2 MB",
            json!({ "logoUrl": format!("https://{}", "a".repeat(2_000_000)) }).to_string(),
        ),
        (
            "spaces in base64",
            json!({ "logoUrl": format!("data:image/png;base64,{}", " ".repeat(2_000_000)) })
                .to_string(),
        ),
    ]
}

fn hostile_csv_tables() -> [(&'static str, String); 6] {
    let heading = "date,kick-off,zone,home,away\n";
    let row = |n: usize| format!("2098-03-06,15:00,Australia/Brisbane,A{n},B{n}\n");
    [
        ("a heading of columns", ",date".repeat(200_000)),
        (
            "a row of columns",
            format!("{heading}{}", ",".repeat(1_000_000)),
        ),
        (
            "a quote that does not end",
            format!("{heading}\"{}", "x".repeat(1_000_000)),
        ),
        (
            "2,000 games",
            format!("{heading}{}", (0..2000).map(row).collect::<String>()),
        ),
        ("wrong rows", format!("{heading}{}", "x\n".repeat(400_000))),
        (
            "one game again and again",
            format!("{heading}{}", row(1).repeat(1999)),
        ),
    ]
}

async fn measure_known_hostile_files(uploads: &UploadFixture) {
    for (name, bytes) in known_hostile_files() {
        uploads.check_picture_upload_cost(&name, &bytes).await;
    }
    for (name, text) in hostile_json_bodies() {
        uploads
            .check_upload_cost(name, Method::PATCH, &uploads.page, "application/json", text)
            .await;
    }
    for (name, table) in hostile_csv_tables() {
        uploads
            .check_upload_cost(name, Method::POST, &uploads.table, "text/csv", table)
            .await;
    }
    for password in [
        "4@8({<369!1|705$7+%2".repeat(6),
        "aA1!".repeat(32),
        "qwertyuiop[]asdf".repeat(8),
    ] {
        let form =
            json!({ "name": "Sharks ".repeat(2000), "email": "a@example.com", "password": password }).to_string();
        uploads
            .check_upload_cost(
                "a password",
                Method::POST,
                "/api/clubs/register",
                "application/json",
                form,
            )
            .await;
    }
}

fn hostile_file_strategy() -> impl Strategy<Value = (HostileFileKind, usize, u64)> {
    (
        select(&HOSTILE_FILE_KINDS[..]),
        1..LOGO_BYTES_MAX - 4096,
        any::<u64>(),
    )
}

/// Measures in a child process, so that the processor time of other tests is not counted.
#[test]
fn uploads_cost_at_most_one_second_of_processor_time() {
    if std::env::var_os(MEASURING_CHILD_VARIABLE).is_none() {
        let name = format!(
            "{}::uploads_cost_at_most_one_second_of_processor_time",
            module_path!().split_once("::").expect("a path").1
        );
        let program = std::env::current_exe().expect("this program");
        let run = std::process::Command::new(program)
            .args([&name, "--exact", "--nocapture"])
            .env(MEASURING_CHILD_VARIABLE, "1")
            .output();
        let run = run.expect("started");
        let (output, errors) = (
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr),
        );
        assert!(
            run.status.success() && output.contains("1 passed"),
            "{}\n{output}\n{errors}",
            run.status
        );
        return;
    }
    let system = System::new();
    let uploads = system.block_on(UploadFixture::open());
    system.block_on(measure_known_hostile_files(&uploads));
    let default = ProptestConfig::default();
    let rng_seed = if default.rng_seed == RngSeed::Random {
        RngSeed::Fixed(1042)
    } else {
        default.rng_seed
    };
    let config = ProptestConfig {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() {
            default.cases
        } else {
            GENERATED_FILE_COUNT
        },
        rng_seed,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            PROPTEST_REGRESSIONS_PATH,
        ))),
        // Limits the search for a smaller failing file, because each step of it renders two
        // pictures.
        max_shrink_iters: 64,
        rng_algorithm: RngAlgorithm::XorShift,
        ..default
    };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&hostile_file_strategy(), |(kind, length, seed)| {
        let name = format!("{kind:?} of {length} bytes, seed {seed}");
        system.block_on(
            uploads.check_picture_upload_cost(&name, &generate_hostile_file(kind, length, seed)),
        );
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
    system.block_on(async {
        assert_eq!(
            uploads.send_logo(&png(9, 9)).await.status,
            200,
            "a good logo is taken afterwards"
        );
        uploads.server.finish().await;
    });
}

#[actix_web::test]
async fn hostile_logo_is_refused_and_changes_nothing() {
    let uploads = UploadFixture::open().await;
    uploads.send_logo(&png(9, 9)).await.ok();
    let before = uploads.current_logo().await;
    for (name, bytes) in [
        ("nested groups", nested_elements("g", 1020)),
        ("nested drawings", nested_elements("svg", 1020)),
        ("blurred rectangles", blurred_rectangles(160)),
    ] {
        let refused = uploads
            .send_logo(bytes.as_bytes())
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            refused["message"], "Please upload a PNG, JPG, or SVG file.",
            "{name}"
        );
        assert_eq!(refused["errors"][0]["field"], "logoUrl", "{name}");
        assert_eq!(uploads.current_logo().await, before, "{name}");
    }
    uploads
        .send_logo(svg_document("<rect width='9' height='9'/>").as_bytes())
        .await
        .ok();
    assert_ne!(uploads.current_logo().await, before);
    uploads.server.finish().await;
}

#[actix_web::test]
async fn picture_over_limit_is_refused_and_ends_only_its_process() {
    let uploads = UploadFixture::open().await;
    // These files pass all checks before rendering. Only the limit of processor time stops them.
    for kind in [
        HostileFileKind::Markers,
        HostileFileKind::LongPath,
        HostileFileKind::ClipPathChain,
    ] {
        let refused = uploads
            .send_logo(&generate_hostile_file(kind, LOGO_BYTES_MAX - 4096, 1))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            refused["message"], "Please upload a PNG, JPG, or SVG file.",
            "{kind:?}"
        );
    }
    uploads.send_logo(&png(9, 9)).await.ok();
    uploads.server.finish().await;
}

/// Reads the limits of the picture process from `/proc` while the process waits for its file.
#[cfg(target_os = "linux")]
#[actix_web::test]
async fn picture_process_runs_within_kernel_limits() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    let command = command
        .arg("render-picture")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().expect("started");
    let path = format!("/proc/{}/limits", child.id());
    let most = |name: &str| -> Option<String> {
        let limits = std::fs::read_to_string(&path).ok()?;
        let values = limits.lines().find_map(|line| line.strip_prefix(name))?;
        // Each line contains the soft limit and the hard limit, which must be equal.
        let mut values = values.split_whitespace();
        values
            .next()
            .filter(|soft| values.next() == Some(*soft))
            .map(str::to_string)
    };
    // The number of open files is limited last, so all limits are set once this one is.
    eventually("the child is limited", async || {
        most("Max open files").filter(|most| most == "3")
    })
    .await;
    for (name, value) in [
        ("Max cpu time", "1"),
        ("Max address space", "805306368"),
        ("Max file size", "0"),
        ("Max core file size", "0"),
        ("Max processes", "0"),
    ] {
        assert_eq!(most(name).as_deref(), Some(value), "{name}");
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[actix_web::test]
async fn club_with_unconfirmed_email_uploads_no_picture() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let form = json!({ "name": "Storm", "email": "storm@example.com", "password": "a-word-of-my-own", "phone": "0400 111 222" });
    browser.post("/api/clubs/register", form).await.ok();
    let user = browser.get("/api/admin/whoami").await.ok()["user"].clone();
    let page = format!("/api/clubs/{}/home-page", user["id"]);
    let picture = STANDARD.encode(png(9, 9));
    let message = "Please confirm your club's email address first. Then you can upload pictures.";
    let form = json!({ "homePageTitle": "Another title", "logoUrl": format!("data:image/png;base64,{picture}") });
    let share_image_upload_body = json!({ "clubSlug": user["clubSlug"], "data": picture });
    let refused = browser
        .call(Method::PATCH, &page, Some(&form))
        .await
        .expect_refusal(403, "email-not-confirmed");
    assert_eq!(refused["message"], message);
    let refused = browser
        .post("/api/uploads/bundle-image", share_image_upload_body.clone())
        .await
        .expect_refusal(403, "email-not-confirmed");
    assert_eq!(refused["message"], message);
    let slug = user["clubSlug"].as_str().expect("a slug");
    let shown = browser.get(&format!("/api/clubs/slug/{slug}")).await.ok();
    assert_ne!(
        shown["homePageTitle"], "Another title",
        "the refused form saves nothing"
    );
    assert!(shown["logoUrl"].is_null(), "{shown}");
    // A club without a confirmed address can still change the other fields of its page.
    browser
        .call(
            Method::PATCH,
            &page,
            Some(&json!({ "homePageTitle": "Another title" })),
        )
        .await
        .ok();
    server.confirm_email(server.club_id(slug)).await;
    browser.call(Method::PATCH, &page, Some(&form)).await.ok();
    browser
        .post("/api/uploads/bundle-image", share_image_upload_body)
        .await
        .ok();
    server.finish().await;
}
