//! Network links that can be cut: each node has its own network namespace, connected to a local
//! bridge.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// The first three numbers of all addresses in the test network.
const NODE_ADDRESS_PREFIX: &str = "10.209.77";
const BRIDGE_NAME: &str = "fdlt0";

/// The network namespaces and their bridge. Dropping this value removes them.
pub struct LinkedNetwork {
    /// The tool for packet loss, or `None` if the system has none.
    packet_loss: Option<PacketLoss>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketLoss {
    /// netem, which drops packets and also delays the others by 200 ms.
    Netem,
    /// nftables, which drops random packets without delaying others.
    Filter,
}

/// Returns the address of this machine on the bridge.
pub fn bridge_address() -> String {
    format!("{NODE_ADDRESS_PREFIX}.1")
}

/// Returns the address of a node inside its namespace.
pub fn node_address(number: usize) -> String {
    format!("{NODE_ADDRESS_PREFIX}.{}", number + 11)
}

fn namespace_name(number: usize) -> String {
    format!("fdlt-n{number}")
}

fn veth_name(number: usize) -> String {
    format!("fdlt{number}h")
}

fn run_ip_command(line: &str) -> Result<()> {
    run_program("ip", line)
}

fn run_program(program: &str, line: &str) -> Result<()> {
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

impl LinkedNetwork {
    /// Creates namespaces and bridge. Returns `None` when the process lacks the rights.
    pub fn create(nodes: usize) -> Option<LinkedNetwork> {
        let mut network = LinkedNetwork { packet_loss: None };
        network.remove_links_and_namespaces();
        network.build_links(nodes).ok()?;
        network.packet_loss = [PacketLoss::Netem, PacketLoss::Filter]
            .into_iter()
            .find(|by| {
                let spoilt = by.degrade(0);
                by.restore(0).is_ok() && spoilt.is_ok()
            });
        Some(network)
    }

    fn build_links(&self, nodes: usize) -> Result<()> {
        run_ip_command(&format!("link add {BRIDGE_NAME} type bridge"))?;
        run_ip_command(&format!(
            "addr add {}/24 dev {BRIDGE_NAME}",
            bridge_address()
        ))?;
        run_ip_command(&format!("link set {BRIDGE_NAME} up"))?;
        for number in 0..nodes {
            let (namespace, veth) = (namespace_name(number), veth_name(number));
            run_ip_command(&format!("netns add {namespace}"))?;
            run_ip_command(&format!(
                "link add {veth} type veth peer name fdlt{number}n"
            ))?;
            run_ip_command(&format!("link set {veth} master {BRIDGE_NAME} up"))?;
            run_ip_command(&format!("link set fdlt{number}n netns {namespace}"))?;
            run_ip_command(&format!(
                "-n {namespace} addr add {}/24 dev fdlt{number}n",
                node_address(number)
            ))?;
            run_ip_command(&format!("-n {namespace} link set fdlt{number}n up"))?;
            run_ip_command(&format!("-n {namespace} link set lo up"))?;
        }
        Ok(())
    }

    fn remove_links_and_namespaces(&self) {
        for number in 0..4 {
            let _ = run_ip_command(&format!("netns del {}", namespace_name(number)));
            let _ = run_ip_command(&format!("link del {}", veth_name(number)));
            let _ = run_program("nft", &format!("delete table netdev {}", veth_name(number)));
        }
        let _ = run_ip_command(&format!("link del {BRIDGE_NAME}"));
    }

    /// Returns the words to put before a command so that it runs in a node's namespace.
    pub fn namespace_command_prefix(number: usize) -> Vec<String> {
        ["ip", "netns", "exec"]
            .into_iter()
            .map(str::to_owned)
            .chain([namespace_name(number)])
            .collect()
    }

    pub fn packet_loss(&self) -> Option<PacketLoss> {
        self.packet_loss
    }

    pub fn cut_link(&self, number: usize) -> Result<()> {
        run_ip_command(&format!("link set {} down", veth_name(number)))
    }

    pub fn reconnect_link(&self, number: usize) -> Result<()> {
        run_ip_command(&format!("link set {} up", veth_name(number)))
    }

    /// Makes the node's link lose 30 % of the packets in both directions. With netem, the other
    /// packets are delayed by 200 ms in one direction.
    pub fn degrade(&self, number: usize) -> Result<()> {
        self.packet_loss
            .context("neither netem nor nft is available")?
            .degrade(number)
    }

    pub fn restore(&self, number: usize) -> Result<()> {
        self.packet_loss
            .context("neither netem nor nft is available")?
            .restore(number)
    }
}

impl PacketLoss {
    fn degrade(self, number: usize) -> Result<()> {
        let (namespace, veth) = (namespace_name(number), veth_name(number));
        if self == PacketLoss::Netem {
            run_program(
                "tc",
                &format!("qdisc add dev {veth} root netem loss 30% delay 200ms"),
            )?;
            return run_program(
                "tc",
                &format!("-n {namespace} qdisc add dev fdlt{number}n root netem loss 30%"),
            );
        }
        for (before, device) in [
            (String::new(), &veth),
            (
                format!("netns exec {namespace} "),
                &format!("fdlt{number}n"),
            ),
        ] {
            let (program, before) = if before.is_empty() {
                ("nft", before)
            } else {
                ("ip", before + "nft ")
            };
            let lose = "numgen random mod 10 < 3 drop";
            run_program(program, &format!("{before}add table netdev {veth}"))?;
            let hook = format!("type filter hook ingress device {device} priority 0 ;");
            run_program(
                program,
                &format!("{before}add chain netdev {veth} lose {{ {hook} }}"),
            )?;
            run_program(
                program,
                &format!("{before}add rule netdev {veth} lose {lose}"),
            )?;
        }
        Ok(())
    }

    fn restore(self, number: usize) -> Result<()> {
        let (namespace, veth) = (namespace_name(number), veth_name(number));
        if self == PacketLoss::Netem {
            run_program("tc", &format!("qdisc del dev {veth} root"))?;
            return run_program(
                "tc",
                &format!("-n {namespace} qdisc del dev fdlt{number}n root"),
            );
        }
        run_program("nft", &format!("delete table netdev {veth}"))?;
        run_program(
            "ip",
            &format!("netns exec {namespace} nft delete table netdev {veth}"),
        )
    }
}

impl Drop for LinkedNetwork {
    fn drop(&mut self) {
        self.remove_links_and_namespaces();
    }
}
