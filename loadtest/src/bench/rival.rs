//! What we are measured beside, in a process of its own: an actix server that does nothing but answer prepared bytes, a purchase
//! as one would write it first, a broadcast that knows only its frame, and a provider with nobody behind it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpResponse, HttpServer};
use anyhow::{Context, Result};
use clap::Args;
use persistence::yardstick::Yardstick;
use server::sandbox::{self, Options, Sandbox};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::broadcast;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::actor_boards::{self, Audience};
use super::board::text_frame;

/// Connections to Postgres; more gain nothing on two cores.
const WRITERS: u32 = 16;
/// Frames a slow board may be behind.
const BEHIND_MAX: usize = 16;
/// The name under which the frame to be broadcast lies among the bodies.
pub const FRAME: &str = "frame";

#[derive(Args, Clone, Debug)]
pub struct Rival {
    /// Where the yardstick was laid out.
    #[arg(long)]
    database: String,
    /// A file for each address: what it answers.
    #[arg(long)]
    bodies: PathBuf,
}

/// A running rival.
pub struct Running {
    child: Child,
    /// `127.0.0.1:port` of its HTTP, and of its sockets.
    pub http: String,
    pub sockets: String,
}

impl Running {
    /// Starts this very program as the rival.
    pub async fn start(database: &str, bodies: &Path) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg("bench-rival")
            .arg("--database")
            .arg(database)
            .arg("--bodies")
            .arg(bodies);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut said = BufReader::new(child.stdout.take().context("a pipe")?).lines();
        let mut address = async || said.next_line().await?.context("the rival ended by itself");
        let (http, sockets) = (address().await?, address().await?);
        Ok(Self {
            child,
            http,
            sockets,
        })
    }

    pub async fn stop(mut self) -> Result<()> {
        self.child.kill().await.context("ending the rival")
    }
}

/// Serves until it is killed; prints its two addresses first.
pub async fn run(rival: &Rival) -> Result<()> {
    let yardstick = Data::new(Yardstick::find(&rival.database, WRITERS).await?);
    let mut bodies = Vec::new();
    for file in std::fs::read_dir(&rival.bodies)? {
        let file = file?;
        bodies.push((
            file.file_name().to_string_lossy().into_owned(),
            Bytes::from(std::fs::read(file.path())?),
        ));
    }
    let frame = bodies
        .iter()
        .find(|(name, _)| name == FRAME)
        .map(|(_, body)| body.clone())
        .unwrap_or_default();
    let (shout, _) = broadcast::channel::<Bytes>(BEHIND_MAX);
    let audience = Data::new(Audience::new(&frame));
    let frame = Bytes::from(text_frame(&frame));
    let (http, sockets) = (
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    );
    println!("{}\n{}", http.local_addr()?, sockets.local_addr()?);
    tokio::spawn(boards(sockets, shout.clone()));
    let (shout, frame) = (Data::new(shout), Data::new(frame));
    let provider = Sandbox::open(None, Options::default())?;
    let server = HttpServer::new(move || {
        let mut app = App::new()
            .app_data(yardstick.clone())
            .app_data(shout.clone())
            .app_data(frame.clone())
            .app_data(audience.clone())
            .route("/hello", web::get().to(hello))
            .route("/boards", web::get().to(actor_boards::open))
            .route("/call", web::post().to(actor_boards::call))
            .route("/locked/{draw}", web::post().to(locked))
            .route("/shout", web::post().to(call_out));
        for (name, body) in bodies.clone() {
            app = app.route(
                &format!("/{name}"),
                web::get().to(move || prepared(body.clone())),
            );
        }
        // Last: all others are found as quickly as without it.
        app.configure(|cfg| sandbox::configure(cfg, provider.clone()))
    });
    server.listen(http)?.run().await.context("serving")
}

async fn hello() -> &'static str {
    "Hello, world!"
}

async fn prepared(body: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(body)
}

async fn locked(yardstick: Data<Yardstick>, draw: web::Path<i64>) -> HttpResponse {
    match yardstick.locked(*draw).await {
        Ok(true) => HttpResponse::Ok()
            .content_type("application/json")
            .body("{}"),
        Ok(false) => HttpResponse::Conflict().finish(),
        Err(failure) => HttpResponse::InternalServerError().body(failure.to_string()),
    }
}

async fn call_out(shout: Data<broadcast::Sender<Bytes>>, frame: Data<Bytes>) -> HttpResponse {
    // Nobody may be listening.
    let _ = shout.send(frame.as_ref().clone());
    HttpResponse::NoContent().finish()
}

/// Takes every socket, and writes to it what is shouted.
async fn boards(listener: TcpListener, shout: broadcast::Sender<Bytes>) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let mut heard = shout.subscribe();
        tokio::spawn(async move {
            let mut asked = Vec::with_capacity(512);
            while !asked.ends_with(b"\r\n\r\n") {
                if stream.read_buf(&mut asked).await? == 0 {
                    return Ok(());
                }
            }
            let hello = String::from_utf8_lossy(&asked).into_owned();
            let key = hello
                .lines()
                .find_map(|line| line.strip_prefix("sec-websocket-key: "))
                .unwrap_or_default();
            let answer = format!(
                "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
                 sec-websocket-accept: {}\r\n\r\n",
                derive_accept_key(key.as_bytes())
            );
            stream.write_all(answer.as_bytes()).await?;
            asked.clear();
            loop {
                tokio::select! {
                    frame = heard.recv() => stream.write_all(&frame?).await?,
                    // A board that has gone would keep its file until the next shout.
                    read = stream.read_buf(&mut asked) => if read? == 0 {
                        return anyhow::Ok(());
                    },
                }
            }
        });
    }
}
