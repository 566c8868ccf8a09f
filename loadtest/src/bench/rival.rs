//! The rival: a simple server, in a separate process, that the product is compared with. It has
//! prepared responses, a purchase handler with a row lock, a broadcast and a payment sandbox.

use std::future::ready;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpResponse, HttpServer};
use anyhow::{Context, Result};
use clap::Args;
use sandbox::{self, Sandbox, SandboxOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::broadcast;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::actor_boards::{self, BoardRegistry};
use super::baseline::BenchBaseline;
use super::board_sockets::encode_text_frame;

/// Number of connections to Postgres. On two cores, more connections bring no gain.
const DATABASE_CONNECTIONS: u32 = 16;
/// How many frames a slow board may fall behind.
const SLOW_BOARD_FRAMES_BEHIND_MAX: usize = 16;
/// Name of the file with the frame to broadcast, in the folder of prepared responses.
pub const FRAME_FILE_NAME: &str = "frame";

#[derive(Args, Clone, Debug)]
pub struct RivalArgs {
    /// URL of the database that holds the baseline tables.
    #[arg(long)]
    database: String,
    /// Folder with one file for each prepared response.
    #[arg(long)]
    bodies: PathBuf,
}

/// A rival server that runs as a child process.
pub struct RivalProcess {
    child: Child,
    /// Address of the HTTP port, as `127.0.0.1:port`.
    pub http: String,
    /// Address of the port for plain `WebSocket` connections, as `127.0.0.1:port`.
    pub sockets: String,
}

impl RivalProcess {
    /// Starts this program a second time, as the rival server.
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
        let mut stdout_lines = BufReader::new(child.stdout.take().context("a pipe")?).lines();
        let mut address = async || stdout_lines.next_line().await?.context("the rival exited");
        let (http, sockets) = (address().await?, address().await?);
        Ok(Self {
            child,
            http,
            sockets,
        })
    }

    pub async fn stop(mut self) -> Result<()> {
        self.child.kill().await.context("stopping the rival")
    }
}

/// Serves requests until the process is killed. Prints the two addresses first.
pub async fn run_subcommand(rival: &RivalArgs) -> Result<()> {
    let baseline =
        Data::new(BenchBaseline::open_existing(&rival.database, DATABASE_CONNECTIONS).await?);
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
        .find(|(name, _)| name == FRAME_FILE_NAME)
        .map(|(_, body)| body.clone())
        .unwrap_or_default();
    let (broadcast_sender, _) = broadcast::channel::<Bytes>(SLOW_BOARD_FRAMES_BEHIND_MAX);
    let registry = Data::new(BoardRegistry::new(&frame));
    let frame = Bytes::from(encode_text_frame(&frame));
    let (http, sockets) = (
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    );
    println!("{}\n{}", http.local_addr()?, sockets.local_addr()?);
    tokio::spawn(serve_boards(sockets, broadcast_sender.clone()));
    let (broadcast_sender, frame) = (Data::new(broadcast_sender), Data::new(frame));
    let options = SandboxOptions {
        rate_limits: None,
        creates_unknown_accounts: true,
        ..SandboxOptions::default()
    };
    let provider = Sandbox::open(None, options)?;
    let server = HttpServer::new(move || {
        let mut app = App::new()
            .app_data(baseline.clone())
            .app_data(broadcast_sender.clone())
            .app_data(frame.clone())
            .app_data(registry.clone())
            .route("/hello", web::get().to(hello))
            .route("/boards", web::get().to(actor_boards::open_board))
            .route("/call", web::post().to(actor_boards::broadcast_to_actors))
            .route("/locked/{draw}", web::post().to(buy_with_row_lock))
            .route("/shout", web::post().to(broadcast_frame));
        for (name, body) in bodies.clone() {
            app = app.route(
                &format!("/{name}"),
                web::get().to(move || ready(prepared_response(body.clone()))),
            );
        }
        // The sandbox routes are registered last, because actix tries routes in this order and the
        // measured ones should match first.
        app.configure(|cfg| sandbox::configure(cfg, provider.clone()))
    });
    server.listen(http)?.run().await.context("serving")
}

async fn hello() -> &'static str {
    "Hello, world!"
}

fn prepared_response(body: Bytes) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(body)
}

async fn buy_with_row_lock(baseline: Data<BenchBaseline>, draw: web::Path<i64>) -> HttpResponse {
    match baseline.purchase_with_row_lock(*draw).await {
        Ok(true) => HttpResponse::Ok()
            .content_type("application/json")
            .body("{}"),
        Ok(false) => HttpResponse::Conflict().finish(),
        Err(failure) => HttpResponse::InternalServerError().body(failure.to_string()),
    }
}

async fn broadcast_frame(
    broadcast_sender: Data<broadcast::Sender<Bytes>>,
    frame: Data<Bytes>,
) -> HttpResponse {
    // The send fails when no board is connected.
    let _ = broadcast_sender.send(frame.as_ref().clone());
    HttpResponse::NoContent().finish()
}

/// Accepts board sockets and writes every broadcast frame to each.
async fn serve_boards(
    listener: TcpListener,
    broadcast_sender: broadcast::Sender<Bytes>,
) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let mut frames = broadcast_sender.subscribe();
        tokio::spawn(async move {
            let mut request = Vec::with_capacity(512);
            while !request.ends_with(b"\r\n\r\n") {
                if stream.read_buf(&mut request).await? == 0 {
                    return Ok(());
                }
            }
            let hello = String::from_utf8_lossy(&request).into_owned();
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
            request.clear();
            loop {
                tokio::select! {
                    frame = frames.recv() => stream.write_all(&frame?).await?,
                    // A read detects that a board has disconnected, so that its socket is closed
                    // before the next broadcast.
                    read = stream.read_buf(&mut request) => if read? == 0 {
                        return anyhow::Ok(());
                    },
                }
            }
        });
    }
}
