//! What stands in front of the nodes is understood by the programs it is for, where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("deploy")
        .join(name)
}

/// Runs a program's own check; `None` when it is not there.
fn checked(program: &str, arguments: &[&str]) -> Option<(bool, String)> {
    let places = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let found = places
        .iter()
        .map(|place| Path::new(place).join(program))
        .find(|path| path.is_file());
    let Some(found) = found else {
        println!(
            "{program} is not installed, so its configuration was not checked: apt-get install {program}"
        );
        return None;
    };
    let output = Command::new(found)
        .args(arguments)
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    Some((output.status.success(), said))
}

#[test]
fn haproxy_understands_its_configuration() {
    let path = file("haproxy.cfg");
    if let Some((understood, said)) = checked("haproxy", &["-c", "-f", &path.to_string_lossy()]) {
        assert!(understood, "{said}");
    }
}

#[test]
fn nginx_understands_its_configuration() {
    let (path, folder) = (file("nginx.conf"), persistence::testing::Folder::new());
    let here = folder.path().to_string_lossy().into_owned();
    if let Some((understood, said)) =
        checked("nginx", &["-t", "-p", &here, "-c", &path.to_string_lossy()])
    {
        assert!(understood, "{said}");
    }
}

/// A draw's pages, calls and sockets have to name it where the configurations look for it.
#[test]
fn both_find_the_draw_in_the_same_addresses() {
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("a configuration");
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
            "the nodes' door is not for browsers"
        );
    }
}

/// Behind either of them a node hears one address of a caller: the one that the balancer saw.
#[test]
fn what_a_caller_says_of_its_address_ends_at_the_balancer() {
    let says = |name: &str, words: &str| {
        std::fs::read_to_string(file(name))
            .expect("a configuration")
            .contains(words)
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

/// An order's token, a winner's link, a new password's and the provider's secret stand in addresses (reliability.md, L2).
#[test]
fn no_balancer_writes_down_which_address_was_asked_for() {
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("a configuration");
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
        "`my`, and no more"
    );
    let more = |line: &&String| line.starts_with("option httplog") || line.contains("capture");
    assert_eq!(haproxy.iter().find(more), None);
    // Outside of `http` nginx knows of no request.
    let nginx = read("nginx.conf");
    let inside = lines(nginx.split_once("\nhttp {").expect("its part about HTTP").1);
    let logs: Vec<&String> = inside
        .iter()
        .filter(|line| line.contains("_log ") || line.contains("log_format"))
        .collect();
    assert_eq!(logs, ["access_log off;", "error_log stderr emerg;"]);
}

#[test]
fn the_unit_names_every_variable_that_differs_from_node_to_node() {
    let unit = std::fs::read_to_string(file("server@.service")).expect("the unit");
    for name in ["PORT", "METRICS_ADDR", "NODE_ADDRESS"] {
        assert!(unit.contains(name), "{name}");
    }
}
