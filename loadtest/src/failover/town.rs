//! Where it takes place: the demo's own data served by two real nodes, a provider that outlives them, and a database that can be
//! reached over a link that can be cut.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::auditor::Auditor;
use persistence::embedded::Embedded;
use persistence::postgres::bank::{BANK, SERVES};
use persistence::{Postgres, Sealer};
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};

use super::board::Boards;
use super::net::{self, Loses, Net};
use super::post_office;
use super::shopper::{Place, Shopper};
use super::{Fault, PATIENCE};
use crate::stand_in;
use crate::subject::{self, Subject};

const NODES: usize = 2;
const NOTICES: &str = "whsec_of_the_loadtest";
const READY: Duration = Duration::from_secs(60);

pub struct Town {
    /// On sale, but for the probe's.
    pub draws: Vec<i64>,
    /// The draw that is asked for after a strike.
    pub probe: i64,
    /// The node that owns the draws.
    pub owner: usize,
    pub boards: Boards,
    dir: PathBuf,
    binary: PathBuf,
    key: String,
    postgres: Option<Embedded>,
    nodes: Vec<Option<Child>>,
    place: Place,
    /// What nodes say to the database goes through here: address and database, without the login.
    books_at: String,
    host: String,
    /// The post office.
    letters_to: String,
    net: Option<Net>,
}

fn port(number: usize) -> u16 {
    18_401 + number as u16
}

fn door(number: usize) -> u16 {
    18_501 + number as u16
}

impl Town {
    pub async fn build() -> Result<Town> {
        let binary = subject::binary().await?;
        let seeded = Subject::start().await.context("seeding the demo's data")?;
        let dir = seeded
            .dir()
            .context("our own server has a folder")?
            .to_owned();
        seeded.stop(true).await?;
        let data = dir.join("data");
        let key = std::fs::read_to_string(data.join("seal.key"))?
            .trim()
            .to_owned();
        let postgres = Embedded::start(&data.join("postgres")).await?;
        let net = Net::lay(NODES);
        let host = if net.is_some() {
            net::host()
        } else {
            "127.0.0.1".to_owned()
        };
        let books_at = proxy(&host, &postgres.url()).await?;
        let sandbox = stand_in::open(&data.join("sandbox"))?;
        let provider = stand_in::serve(&host, &sandbox)?;
        let address = |number| {
            if net.is_some() {
                net::node(number)
            } else {
                "127.0.0.1".to_owned()
            }
        };
        let nodes: Vec<String> = (0..NODES)
            .map(|number| format!("http://{}:{}", address(number), port(number)))
            .collect();
        sandbox.set_webhook(&format!("{}/api/stripe/webhook", nodes[0]), NOTICES);
        let place = Place { nodes, provider };
        let mut town = Town {
            draws: Vec::new(),
            probe: 0,
            owner: 0,
            boards: Boards::put_up(
                &Place {
                    nodes: Vec::new(),
                    ..place.clone()
                },
                0,
            ),
            dir,
            binary,
            key,
            postgres: Some(postgres),
            nodes: Vec::new(),
            place,
            books_at,
            letters_to: post_office::open(&host).await?,
            host,
            net,
        };
        for number in 0..NODES {
            let node = town.spawn(number)?;
            town.nodes.push(Some(node));
            town.ready(number).await?;
        }
        town.look_around().await?;
        Ok(town)
    }

    async fn look_around(&mut self) -> Result<()> {
        let url = format!("{}/api/draws/active", self.place.nodes[0]);
        let listed: Vec<serde_json::Value> = reqwest::get(url).await?.json().await?;
        let free = |draw: &&serde_json::Value| draw["ticketsAvailable"].as_i64() > Some(20);
        self.draws = listed
            .iter()
            .filter(free)
            .filter_map(|draw| draw["drawNumber"].as_i64())
            .collect();
        self.probe = self.draws.pop().context("no draw is on sale")?;
        self.boards = Boards::put_up(&self.place, self.probe);
        self.find_owner().await
    }

    pub fn has_links(&self) -> bool {
        self.net.is_some()
    }

    pub fn loses(&self) -> Option<Loses> {
        self.net.as_ref().and_then(Net::loses)
    }

    pub fn place(&self) -> Place {
        self.place.clone()
    }

    pub fn shopper(&self, nodes: &[usize]) -> Result<Shopper> {
        Shopper::new(&self.place, nodes)
    }

    pub fn database_url(&self) -> String {
        self.postgres
            .as_ref()
            .map(Embedded::url)
            .unwrap_or_default()
    }

    pub async fn books(&self) -> Result<Postgres> {
        let sealer = Sealer::from_hex(&self.key).context("the sealing key")?;
        Ok(Postgres::connect(&self.database_url(), sealer).await?)
    }

    /// Everything `serve` wants to know.
    fn spawn(&self, number: usize) -> Result<Child> {
        let inside = if self.net.is_some() {
            Net::inside(number)
        } else {
            Vec::new()
        };
        let address = if self.net.is_some() {
            net::node(number)
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
                format!("postgres://{SERVES}@{}", self.books_at),
            )
            .env(
                "BANK_DATABASE_URL",
                format!("postgres://{BANK}@{}", self.books_at),
            )
            .env("SEAL_KEY", &self.key)
            .env("NODE_ADDRESS", format!("{address}:{}", door(number)))
            .env("PUBLIC_URL", format!("http://127.0.0.1:{}", port(number)))
            .env("BIND_ADDR", &address)
            .env("PORT", port(number).to_string())
            .env(
                "STRIPE_API_URL",
                format!("{}/sandbox/stripe", self.place.provider),
            )
            .envs([
                ("STRIPE_SECRET_KEY", "sk_test_x"),
                ("STRIPE_PUBLISHABLE_KEY", "pk_test_x"),
            ])
            .envs([
                ("STRIPE_WEBHOOK_SECRETS", NOTICES),
                ("SMTP_URL", &self.letters_to),
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

    async fn ready(&self, number: usize) -> Result<()> {
        let (begun, url) = (
            Instant::now(),
            format!("{}/api/health/ready", self.place.nodes[number]),
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
            if begun.elapsed() > READY {
                bail!(
                    "node {number} is not ready; its log is in {}",
                    self.dir.display()
                );
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Waits until every node stands and somebody owns the probe's draw.
    pub async fn find_owner(&mut self) -> Result<()> {
        for number in 0..NODES {
            self.ready(number).await?;
        }
        let auditor = Auditor::open(&self.database_url()).await?;
        let begun = Instant::now();
        while begun.elapsed() < READY {
            self.shopper(&[0, 1])?.touches(self.probe, PATIENCE).await?;
            let owner = auditor.owner(self.probe).await?.unwrap_or_default();
            let named = |number: &usize| owner.ends_with(&format!(":{}", door(*number)));
            if let Some(number) = (0..NODES).find(named) {
                self.owner = number;
                return Ok(());
            }
        }
        bail!("nobody owns draw {}", self.probe)
    }

    fn signal(&self, number: usize, signal: Signal) -> Result<()> {
        let pid = self.nodes[number]
            .as_ref()
            .and_then(Child::id)
            .context("the node runs")?;
        // `ip netns exec` becomes the program that it runs.
        Ok(kill(Pid::from_raw(i32::try_from(pid)?), signal)?)
    }

    pub async fn hit(&mut self, victim: usize, fault: Fault) -> Result<()> {
        match fault {
            Fault::Kill => {
                if let Some(mut child) = self.nodes[victim].take() {
                    child.kill().await?;
                }
            }
            Fault::Hang => self.signal(victim, Signal::SIGSTOP)?,
            Fault::Link => self.net.as_ref().context("links")?.cut(victim)?,
            Fault::Loss => self.net.as_ref().context("links")?.spoil(victim)?,
            Fault::Database => {
                let dir = self.dir.join("data/postgres");
                self.postgres.take().context("Postgres")?.stop().await;
                self.postgres = Some(Embedded::start(&dir).await?);
            }
            Fault::Roll => {}
        }
        Ok(())
    }

    pub async fn heal(&mut self, victim: usize, fault: Fault) -> Result<()> {
        match fault {
            Fault::Kill => self.nodes[victim] = Some(self.spawn(victim)?),
            Fault::Hang => self.signal(victim, Signal::SIGCONT)?,
            Fault::Link => self.net.as_ref().context("links")?.mend(victim)?,
            Fault::Loss => self.net.as_ref().context("links")?.clean(victim)?,
            Fault::Database | Fault::Roll => {}
        }
        Ok(())
    }

    /// Each node gets SIGTERM and a successor.
    pub async fn roll(&mut self) -> Result<()> {
        for number in 0..NODES {
            self.signal(number, Signal::SIGTERM)?;
            if let Some(mut child) = self.nodes[number].take() {
                child.wait().await?;
            }
            self.nodes[number] = Some(self.spawn(number)?);
            self.ready(number).await?;
        }
        self.find_owner().await
    }

    /// Keeps the nodes' logs in a folder, if there is one.
    pub async fn close(mut self, logs: Option<&Path>) -> Result<()> {
        for child in self.nodes.iter_mut().flatten() {
            child.kill().await?;
        }
        if let Some(postgres) = self.postgres.take() {
            postgres.stop().await;
        }
        if let Some(logs) = logs {
            std::fs::create_dir_all(logs)?;
            for name in (0..NODES).map(|number| format!("node-{number}.log")) {
                std::fs::copy(self.dir.join(&name), logs.join(&name)).with_context(|| name)?;
            }
        }
        std::fs::remove_dir_all(&self.dir)
            .with_context(|| format!("removing {}", self.dir.display()))
    }
}

/// Postgres listens on a socket in a folder, which every namespace reaches; a link that is cut must cut the database off.
async fn proxy(host: &str, url: &str) -> Result<String> {
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
