//! A test cluster: two real nodes with the demo's data, a payment sandbox that is not stopped with
//! them, and a database behind a network link that can be cut.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::auditor::Auditor;
use persistence::embedded::EmbeddedPostgres;
use persistence::postgres::bank::{BANK_LOGIN_NAME, SERVING_LOGIN_NAME};
use persistence::{Postgres, Sealer};
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};

use super::board::BoardFollowers;
use super::buyer::{FailoverBuyer, NodeAddresses};
use super::network::{self, LinkedNetwork, PacketLoss};
use super::smtp_sink;
use super::{Fault, RETRY_TIMEOUT};
use crate::sandbox_server;
use crate::server_process::{self, ServerProcess};

const NODE_COUNT: usize = 2;
const WEBHOOK_SECRET: &str = "whsec_of_the_loadtest";
const READY_TIMEOUT: Duration = Duration::from_secs(60);

pub struct Cluster {
    /// Draws on sale. The probe draw is not among them.
    pub draws: Vec<i64>,
    /// The draw that measures recovery: it is requested after each fault.
    pub probe: i64,
    /// Index of the node that owns all draws at the moment.
    pub owner: usize,
    pub boards: BoardFollowers,
    dir: PathBuf,
    binary: PathBuf,
    key: String,
    postgres: Option<EmbeddedPostgres>,
    nodes: Vec<Option<Child>>,
    addresses: NodeAddresses,
    /// Host, port and name of the database as nodes reach it through the proxy. Contains no login.
    database_address: String,
    host: String,
    /// URL of the SMTP server that discards all mails.
    smtp_url: String,
    network: Option<LinkedNetwork>,
}

fn http_port(number: usize) -> u16 {
    18_401 + number as u16
}

fn peer_port(number: usize) -> u16 {
    18_501 + number as u16
}

impl Cluster {
    pub async fn build() -> Result<Cluster> {
        let binary = server_process::server_binary().await?;
        let seeded = ServerProcess::start()
            .await
            .context("seeding the demo's data")?;
        let dir = seeded
            .folder_path()
            .context("the server process has a folder")?
            .to_owned();
        seeded.stop(true).await?;
        let data = dir.join("data");
        let key = std::fs::read_to_string(data.join("seal.key"))?
            .trim()
            .to_owned();
        let postgres = EmbeddedPostgres::start(&data.join("postgres")).await?;
        let network = LinkedNetwork::create(NODE_COUNT);
        let host = if network.is_some() {
            network::bridge_address()
        } else {
            "127.0.0.1".to_owned()
        };
        let database_address = start_database_proxy(&host, &postgres.url()).await?;
        let sandbox = sandbox_server::open_sandbox(&data.join("sandbox"))?;
        let provider = sandbox_server::serve_sandbox(&host, &sandbox)?;
        let address = |number| {
            if network.is_some() {
                network::node_address(number)
            } else {
                "127.0.0.1".to_owned()
            }
        };
        let nodes: Vec<String> = (0..NODE_COUNT)
            .map(|number| format!("http://{}:{}", address(number), http_port(number)))
            .collect();
        sandbox.set_webhook(&format!("{}/api/stripe/webhook", nodes[0]), WEBHOOK_SECRET);
        let addresses = NodeAddresses { nodes, provider };
        let mut cluster = Cluster {
            draws: Vec::new(),
            probe: 0,
            owner: 0,
            boards: BoardFollowers::start(
                &NodeAddresses {
                    nodes: Vec::new(),
                    ..addresses.clone()
                },
                0,
            ),
            dir,
            binary,
            key,
            postgres: Some(postgres),
            nodes: Vec::new(),
            addresses,
            database_address,
            smtp_url: smtp_sink::start_sink(&host).await?,
            host,
            network,
        };
        for number in 0..NODE_COUNT {
            let node = cluster.spawn_node(number)?;
            cluster.nodes.push(Some(node));
            cluster.wait_until_ready(number).await?;
        }
        cluster.find_draws().await?;
        Ok(cluster)
    }

    async fn find_draws(&mut self) -> Result<()> {
        let url = format!("{}/api/draws/active", self.addresses.nodes[0]);
        let listed: Vec<serde_json::Value> = reqwest::get(url).await?.json().await?;
        let free = |draw: &&serde_json::Value| draw["ticketsAvailable"].as_i64() > Some(20);
        self.draws = listed
            .iter()
            .filter(free)
            .filter_map(|draw| draw["drawNumber"].as_i64())
            .collect();
        self.probe = self.draws.pop().context("no draw is on sale")?;
        self.boards = BoardFollowers::start(&self.addresses, self.probe);
        self.find_draw_owner().await
    }

    pub fn has_linked_network(&self) -> bool {
        self.network.is_some()
    }

    pub fn packet_loss(&self) -> Option<PacketLoss> {
        self.network.as_ref().and_then(LinkedNetwork::packet_loss)
    }

    pub fn addresses(&self) -> NodeAddresses {
        self.addresses.clone()
    }

    pub fn new_buyer(&self, nodes: &[usize]) -> Result<FailoverBuyer> {
        FailoverBuyer::new(&self.addresses, nodes)
    }

    pub fn database_url(&self) -> String {
        self.postgres
            .as_ref()
            .map(EmbeddedPostgres::url)
            .unwrap_or_default()
    }

    pub async fn open_store(&self) -> Result<Postgres> {
        let sealer = Sealer::from_hex(&self.key).context("the sealing key")?;
        Ok(Postgres::connect(&self.database_url(), sealer).await?)
    }

    /// Starts a node, with the environment variables that the command `serve` requires.
    fn spawn_node(&self, number: usize) -> Result<Child> {
        let inside = if self.network.is_some() {
            LinkedNetwork::namespace_command_prefix(number)
        } else {
            Vec::new()
        };
        let address = if self.network.is_some() {
            network::node_address(number)
        } else {
            self.host.clone()
        };
        let line: Vec<String> = inside
            .into_iter()
            .chain([self.binary.to_string_lossy().into_owned()])
            .collect();
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.dir.join(format!("node-{number}.log")))?;
        let child = Command::new(&line[0])
            .args(&line[1..])
            .arg("serve")
            .env(
                "DATABASE_URL",
                format!("postgres://{SERVING_LOGIN_NAME}@{}", self.database_address),
            )
            .env(
                "BANK_DATABASE_URL",
                format!("postgres://{BANK_LOGIN_NAME}@{}", self.database_address),
            )
            .env("SEAL_KEY", &self.key)
            .env("NODE_ADDRESS", format!("{address}:{}", peer_port(number)))
            .env(
                "PUBLIC_URL",
                format!("http://127.0.0.1:{}", http_port(number)),
            )
            .env("BIND_ADDR", &address)
            .env("PORT", http_port(number).to_string())
            .env(
                "STRIPE_API_URL",
                format!("{}/sandbox/stripe", self.addresses.provider),
            )
            .envs([
                ("STRIPE_SECRET_KEY", "sk_test_x"),
                ("STRIPE_PUBLISHABLE_KEY", "pk_test_x"),
            ])
            .envs([
                ("FEE_PASSTHROUGH", "allowed"),
                ("STRIPE_WEBHOOK_SECRETS", WEBHOOK_SECRET),
                ("SMTP_URL", &self.smtp_url),
            ])
            .envs([
                ("MAIL_FROM", "x@tickets.test"),
                ("SUPPORT_EMAIL", "s@tickets.test"),
                ("SUPPORT_SMS", "0400 000 000"),
            ])
            .env("FD_DATA_DIR", self.dir.join(format!("node-{number}")))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        Ok(child)
    }

    async fn wait_until_ready(&self, number: usize) -> Result<()> {
        let (started, url) = (
            Instant::now(),
            format!("{}/api/health/ready", self.addresses.nodes[number]),
        );
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(2))
            .build()?;
        while !http
            .get(&url)
            .send()
            .await
            .is_ok_and(|answer| answer.status().is_success())
        {
            if started.elapsed() > READY_TIMEOUT {
                bail!(
                    "node {number} is not ready; its log is in {}",
                    self.dir.display()
                );
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Waits until every node is ready and one of them owns the probe draw. Stores that node as the
    /// owner.
    pub async fn find_draw_owner(&mut self) -> Result<()> {
        for number in 0..NODE_COUNT {
            self.wait_until_ready(number).await?;
        }
        let auditor = Auditor::open(&self.database_url()).await?;
        let started = Instant::now();
        while started.elapsed() < READY_TIMEOUT {
            self.new_buyer(&[0, 1])?
                .reserve_and_release(self.probe, RETRY_TIMEOUT)
                .await?;
            let owner = auditor
                .draw_owner_node_address(self.probe)
                .await?
                .unwrap_or_default();
            let named = |number: &usize| owner.ends_with(&format!(":{}", peer_port(*number)));
            if let Some(number) = (0..NODE_COUNT).find(named) {
                self.owner = number;
                return Ok(());
            }
        }
        bail!("no node owns draw {}", self.probe)
    }

    fn signal_node(&self, number: usize, signal: Signal) -> Result<()> {
        let pid = self.nodes[number]
            .as_ref()
            .and_then(Child::id)
            .context("the node runs")?;
        // The signal reaches the node itself, because `ip netns exec` replaces its own process by
        // the program.
        Ok(kill(Pid::from_raw(i32::try_from(pid)?), signal)?)
    }

    pub async fn inject_fault(&mut self, victim: usize, fault: Fault) -> Result<()> {
        match fault {
            Fault::Kill => {
                if let Some(mut child) = self.nodes[victim].take() {
                    child.kill().await?;
                }
            }
            Fault::Hang => self.signal_node(victim, Signal::SIGSTOP)?,
            Fault::Link => self.network.as_ref().context("links")?.cut_link(victim)?,
            Fault::Loss => self.network.as_ref().context("links")?.degrade(victim)?,
            Fault::Database => {
                let dir = self.dir.join("data/postgres");
                self.postgres.take().context("Postgres")?.stop().await;
                self.postgres = Some(EmbeddedPostgres::start(&dir).await?);
            }
            Fault::Roll => {}
        }
        Ok(())
    }

    pub fn undo_fault(&mut self, victim: usize, fault: Fault) -> Result<()> {
        match fault {
            Fault::Kill => self.nodes[victim] = Some(self.spawn_node(victim)?),
            Fault::Hang => self.signal_node(victim, Signal::SIGCONT)?,
            Fault::Link => self
                .network
                .as_ref()
                .context("links")?
                .reconnect_link(victim)?,
            Fault::Loss => self.network.as_ref().context("links")?.restore(victim)?,
            Fault::Database | Fault::Roll => {}
        }
        Ok(())
    }

    /// Sends SIGTERM to each node in turn, and starts another in its place.
    pub async fn restart_each_node(&mut self) -> Result<()> {
        for number in 0..NODE_COUNT {
            self.signal_node(number, Signal::SIGTERM)?;
            if let Some(mut child) = self.nodes[number].take() {
                child.wait().await?;
            }
            self.nodes[number] = Some(self.spawn_node(number)?);
            self.wait_until_ready(number).await?;
        }
        self.find_draw_owner().await
    }

    /// Stops all nodes. If `logs` is given, copies their logs into that folder.
    pub async fn close(mut self, logs: Option<&Path>) -> Result<()> {
        for child in self.nodes.iter_mut().flatten() {
            child.kill().await?;
        }
        if let Some(postgres) = self.postgres.take() {
            postgres.stop().await;
        }
        if let Some(logs) = logs {
            std::fs::create_dir_all(logs)?;
            for name in (0..NODE_COUNT).map(|number| format!("node-{number}.log")) {
                std::fs::copy(self.dir.join(&name), logs.join(&name)).with_context(|| name)?;
            }
        }
        std::fs::remove_dir_all(&self.dir)
            .with_context(|| format!("removing {}", self.dir.display()))
    }
}

/// Starts a proxy from TCP to the Unix socket of Postgres. Nodes must use TCP: every network
/// namespace could reach the socket directly, even with its link cut.
async fn start_database_proxy(host: &str, url: &str) -> Result<String> {
    let (head, folder) = url.split_once("?host=").context("a socket's folder")?;
    let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
    let listener = TcpListener::bind((host, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut there, _)) = listener.accept().await {
            let socket = socket.clone();
            tokio::spawn(async move {
                if let Ok(mut here) = UnixStream::connect(socket).await {
                    let _ = tokio::io::copy_bidirectional(&mut there, &mut here).await;
                }
            });
        }
    });
    let database = head.rsplit('/').next().unwrap_or_default();
    Ok(format!("{address}/{database}"))
}
