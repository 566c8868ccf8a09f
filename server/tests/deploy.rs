//! Checks the deployment files with the programs for which they are written, where these are
//! installed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn deploy_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("deploy")
        .join(name)
}

/// Runs the command with which a program checks its configuration. Returns whether it passed, and
/// the output; `None` if the program is not installed.
fn run_configuration_check(program: &str, arguments: &[&str]) -> Option<(bool, String)> {
    let places = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let find_program = places
        .iter()
        .map(|place| Path::new(place).join(program))
        .find(|path| path.is_file());
    let Some(find_program) = find_program else {
        println!(
            "{program} is not installed, so its configuration was not checked: apt-get install {program}"
        );
        return None;
    };
    let output = Command::new(find_program)
        .args(arguments)
        .output()
        .expect("it runs");
    let output_text = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    Some((output.status.success(), output_text))
}

#[test]
fn haproxy_accepts_its_configuration() {
    let path = deploy_file("haproxy.cfg");
    if let Some((accepted, output_text)) =
        run_configuration_check("haproxy", &["-c", "-f", &path.to_string_lossy()])
    {
        assert!(accepted, "{output_text}");
    }
}

#[test]
fn nginx_accepts_its_configuration() {
    let (path, folder) = (
        deploy_file("nginx.conf"),
        persistence::testing::TempFolder::new(),
    );
    let here = folder.path().to_string_lossy().into_owned();
    if let Some((accepted, output_text)) =
        run_configuration_check("nginx", &["-t", "-p", &here, "-c", &path.to_string_lossy()])
    {
        assert!(accepted, "{output_text}");
    }
}

/// Both load balancers route a draw's paths by patterns. Each path must be in the patterns of both.
#[test]
fn both_balancers_route_the_same_draw_paths() {
    let read = |name: &str| std::fs::read_to_string(deploy_file(name)).expect("a configuration");
    for configuration in [read("haproxy.cfg"), read("nginx.conf")] {
        for place in [
            "api/draws",
            "api/public/draws",
            "api/meta/draw",
            "draw",
            "checkout",
            "verify",
        ] {
            assert!(
                configuration.contains(&format!("{place}|"))
                    || configuration.contains(&format!("|{place}")),
                "{place}"
            );
        }
        assert!(
            configuration.contains("/nodes/"),
            "the node routes are not reachable for browsers"
        );
    }
}

/// The load balancer replaces `X-Forwarded-For` with the address that it saw, so a client cannot
/// forge its address.
#[test]
fn balancer_overwrites_the_client_address_header() {
    let says = |name: &str, text: &str| {
        std::fs::read_to_string(deploy_file(name))
            .expect("a configuration")
            .contains(text)
    };
    assert!(
        says("haproxy.cfg", "http-request del-header x-forwarded-for")
            && says("haproxy.cfg", "option forwardfor")
    );
    assert!(says(
        "nginx.conf",
        "proxy_set_header X-Forwarded-For $remote_addr;"
    ));
}

/// Paths contain secrets: order tokens, claim links and password links (reliability.md, rule L2).
#[test]
fn balancer_logs_contain_no_request_path() {
    let read = |name: &str| std::fs::read_to_string(deploy_file(name)).expect("a configuration");
    let lines = |text: &str| {
        text.lines()
            .map(|line| line.trim().to_string())
            .collect::<Vec<_>>()
    };
    let haproxy = lines(&read("haproxy.cfg"));
    let formats: Vec<&String> = haproxy
        .iter()
        .filter(|line| line.contains("log-format"))
        .collect();
    let format =
        "log-format \"%tr %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %tsc %HM /%[var(txn.room)]\"";
    assert_eq!(formats, [format], "method, status, times, node");
    assert!(
        haproxy.contains(&"http-request set-var(txn.room) path,field(2,/)".to_string()),
        "only the first path segment is logged"
    );
    let more = |line: &&String| line.starts_with("option httplog") || line.contains("capture");
    assert_eq!(haproxy.iter().find(more), None);
    // Looks only at the `http` block, because nginx handles requests only there.
    let nginx = read("nginx.conf");
    let inside = lines(nginx.split_once("\nhttp {").expect("its part about HTTP").1);
    let logs: Vec<&String> = inside
        .iter()
        .filter(|line| line.contains("_log ") || line.contains("log_format"))
        .collect();
    assert_eq!(logs, ["access_log off;", "error_log stderr emerg;"]);
}

#[test]
fn systemd_unit_names_every_per_node_variable() {
    let unit = std::fs::read_to_string(deploy_file("server@.service")).expect("the unit");
    for name in ["PORT", "METRICS_ADDR", "NODE_ADDRESS"] {
        assert!(unit.contains(name), "{name}");
    }
}
