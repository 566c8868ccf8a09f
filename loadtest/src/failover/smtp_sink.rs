//! An SMTP server that accepts every mail and discards it, so that queued mails are sent and no
//! outbox grows.

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Starts the server at this address. Returns its URL, as the variable `SMTP_URL` needs it.
pub async fn start_sink(host: &str) -> Result<String> {
    let listener = TcpListener::bind((host, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            tokio::spawn(serve_connection(caller));
        }
    });
    Ok(format!("smtp://{address}"))
}

/// Serves one connection until the client closes it.
async fn serve_connection(caller: TcpStream) -> std::io::Result<()> {
    let (reader, mut writer) = caller.into_split();
    let mut lines = BufReader::new(reader).lines();
    reply_line(&mut writer, "220 here").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line
            .split([' ', ':'])
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if verb == "DATA" {
            reply_line(&mut writer, "354 go on").await?;
            discard_message(&mut lines).await?;
        }
        reply_line(
            &mut writer,
            if verb == "QUIT" {
                "221 goodbye"
            } else {
                "250 thank you"
            },
        )
        .await?;
    }
    Ok(())
}

async fn discard_message(lines: &mut Lines<BufReader<OwnedReadHalf>>) -> std::io::Result<()> {
    while lines.next_line().await?.is_some_and(|line| line != ".") {}
    Ok(())
}

async fn reply_line(writer: &mut OwnedWriteHalf, words: &str) -> std::io::Result<()> {
    writer.write_all(format!("{words}\r\n").as_bytes()).await
}
