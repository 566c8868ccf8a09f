//! Links that can be cut: a network namespace for each node, on a bridge of this machine's own.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// A network that nobody else has.
const NET: &str = "10.209.77";
const BRIDGE: &str = "fdlt0";

/// The namespaces and the bridge; gone when it is dropped.
pub struct Net {
    /// What loses packets on purpose, where something can.
    loses: Option<Loses>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loses {
    /// And keeps the others for 200 ms.
    Netem,
    /// A packet filter that drops by chance; it keeps nothing.
    Filter,
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
    let output = Command::new(program)
        .args(line.split_whitespace())
        .output()?;
    if !output.status.success() {
        bail!(
            "{program} {line}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

impl Net {
    /// `None` where that is not allowed.
    pub fn lay(nodes: usize) -> Option<Net> {
        let mut net = Net { loses: None };
        net.sweep();
        net.build(nodes).ok()?;
        net.loses = [Loses::Netem, Loses::Filter].into_iter().find(|by| {
            let spoilt = by.spoil(0);
            by.clean(0).is_ok() && spoilt.is_ok()
        });
        Some(net)
    }

    fn build(&self, nodes: usize) -> Result<()> {
        ip(&format!("link add {BRIDGE} type bridge"))?;
        ip(&format!("addr add {}/24 dev {BRIDGE}", host()))?;
        ip(&format!("link set {BRIDGE} up"))?;
        for number in 0..nodes {
            let (space, cable) = (space(number), cable(number));
            ip(&format!("netns add {space}"))?;
            ip(&format!(
                "link add {cable} type veth peer name fdlt{number}n"
            ))?;
            ip(&format!("link set {cable} master {BRIDGE} up"))?;
            ip(&format!("link set fdlt{number}n netns {space}"))?;
            ip(&format!(
                "-n {space} addr add {}/24 dev fdlt{number}n",
                node(number)
            ))?;
            ip(&format!("-n {space} link set fdlt{number}n up"))?;
            ip(&format!("-n {space} link set lo up"))?;
        }
        Ok(())
    }

    fn sweep(&self) {
        for number in 0..4 {
            let _ = ip(&format!("netns del {}", space(number)));
            let _ = ip(&format!("link del {}", cable(number)));
            let _ = run("nft", &format!("delete table netdev {}", cable(number)));
        }
        let _ = ip(&format!("link del {BRIDGE}"));
    }

    /// What runs a program in a node's namespace.
    pub fn inside(number: usize) -> Vec<String> {
        ["ip", "netns", "exec"]
            .into_iter()
            .map(str::to_owned)
            .chain([space(number)])
            .collect()
    }

    pub fn loses(&self) -> Option<Loses> {
        self.loses
    }

    pub fn cut(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} down", cable(number)))
    }

    pub fn mend(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} up", cable(number)))
    }

    /// Three packets in ten are lost both ways, and with netem the rest takes 200 ms one way.
    pub fn spoil(&self, number: usize) -> Result<()> {
        self.loses
            .context("nothing here loses packets")?
            .spoil(number)
    }

    pub fn clean(&self, number: usize) -> Result<()> {
        self.loses
            .context("nothing here loses packets")?
            .clean(number)
    }
}

impl Loses {
    fn spoil(self, number: usize) -> Result<()> {
        let (space, cable) = (space(number), cable(number));
        if self == Loses::Netem {
            run(
                "tc",
                &format!("qdisc add dev {cable} root netem loss 30% delay 200ms"),
            )?;
            return run(
                "tc",
                &format!("-n {space} qdisc add dev fdlt{number}n root netem loss 30%"),
            );
        }
        for (before, device) in [
            (String::new(), &cable),
            (format!("netns exec {space} "), &format!("fdlt{number}n")),
        ] {
            let (program, before) = if before.is_empty() {
                ("nft", before)
            } else {
                ("ip", before + "nft ")
            };
            let lose = "numgen random mod 10 < 3 drop";
            run(program, &format!("{before}add table netdev {cable}"))?;
            let hook = format!("type filter hook ingress device {device} priority 0 ;");
            run(
                program,
                &format!("{before}add chain netdev {cable} lose {{ {hook} }}"),
            )?;
            run(
                program,
                &format!("{before}add rule netdev {cable} lose {lose}"),
            )?;
        }
        Ok(())
    }

    fn clean(self, number: usize) -> Result<()> {
        let (space, cable) = (space(number), cable(number));
        if self == Loses::Netem {
            run("tc", &format!("qdisc del dev {cable} root"))?;
            return run(
                "tc",
                &format!("-n {space} qdisc del dev fdlt{number}n root"),
            );
        }
        run("nft", &format!("delete table netdev {cable}"))?;
        run(
            "ip",
            &format!("netns exec {space} nft delete table netdev {cable}"),
        )
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        self.sweep();
    }
}
