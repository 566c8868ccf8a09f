//! Links that can be cut: a network namespace for each node, on a bridge of this machine's own.

use std::process::Command;

use anyhow::{Result, bail};

/// A network that nobody else has.
const NET: &str = "10.209.77";
const BRIDGE: &str = "fdlt0";

/// The namespaces and the bridge; gone when it is dropped.
pub struct Net {
    /// The kernel can lose packets on purpose.
    loses: bool,
}

/// This machine on the bridge.
pub fn host() -> String {
    format!("{NET}.1")
}

/// A node in its namespace.
pub fn node(number: usize) -> String {
    format!("{NET}.{}", number + 11)
}

fn space(number: usize) -> String {
    format!("fdlt-n{number}")
}

fn cable(number: usize) -> String {
    format!("fdlt{number}h")
}

fn ip(line: &str) -> Result<()> {
    run("ip", line)
}

fn run(program: &str, line: &str) -> Result<()> {
    let output = Command::new(program).args(line.split_whitespace()).output()?;
    if !output.status.success() {
        bail!("{program} {line}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

impl Net {
    /// `None` where that is not allowed.
    pub fn lay(nodes: usize) -> Option<Net> {
        let mut net = Net { loses: false };
        net.sweep();
        net.build(nodes).ok()?;
        net.loses = net.spoil(0).is_ok() && net.clean(0).is_ok();
        Some(net)
    }

    fn build(&self, nodes: usize) -> Result<()> {
        ip(&format!("link add {BRIDGE} type bridge"))?;
        ip(&format!("addr add {}/24 dev {BRIDGE}", host()))?;
        ip(&format!("link set {BRIDGE} up"))?;
        for number in 0..nodes {
            let (space, cable) = (space(number), cable(number));
            ip(&format!("netns add {space}"))?;
            ip(&format!("link add {cable} type veth peer name fdlt{number}n"))?;
            ip(&format!("link set {cable} master {BRIDGE} up"))?;
            ip(&format!("link set fdlt{number}n netns {space}"))?;
            ip(&format!("-n {space} addr add {}/24 dev fdlt{number}n", node(number)))?;
            ip(&format!("-n {space} link set fdlt{number}n up"))?;
            ip(&format!("-n {space} link set lo up"))?;
        }
        Ok(())
    }

    fn sweep(&self) {
        for number in 0..4 {
            let _ = ip(&format!("netns del {}", space(number)));
            let _ = ip(&format!("link del {}", cable(number)));
        }
        let _ = ip(&format!("link del {BRIDGE}"));
    }

    /// What runs a program in a node's namespace.
    pub fn inside(number: usize) -> Vec<String> {
        ["ip", "netns", "exec"].into_iter().map(str::to_owned).chain([space(number)]).collect()
    }

    pub fn can_lose(&self) -> bool {
        self.loses
    }

    pub fn cut(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} down", cable(number)))
    }

    pub fn mend(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} up", cable(number)))
    }

    /// Three packets in ten are lost both ways, and the rest takes 200 ms one way.
    pub fn spoil(&self, number: usize) -> Result<()> {
        run("tc", &format!("qdisc add dev {} root netem loss 30% delay 200ms", cable(number)))?;
        run("tc", &format!("-n {} qdisc add dev fdlt{number}n root netem loss 30%", space(number)))
    }

    pub fn clean(&self, number: usize) -> Result<()> {
        run("tc", &format!("qdisc del dev {} root", cable(number)))?;
        run("tc", &format!("-n {} qdisc del dev fdlt{number}n root", space(number)))
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        self.sweep();
    }
}
