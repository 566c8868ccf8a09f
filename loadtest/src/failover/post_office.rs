//! Takes every mail and keeps none, so that the outbox can be drained.

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Opens it on this address; answers where it is, as `SMTP_URL` has it.
pub async fn open(host: &str) -> Result<String> {
    let listener = TcpListener::bind((host, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            tokio::spawn(serve(caller));
        }
    });
    Ok(format!("smtp://{address}"))
}

/// One connection, until the caller hangs up.
async fn serve(caller: TcpStream) -> std::io::Result<()> {
    let (hears, mut says) = caller.into_split();
    let mut lines = BufReader::new(hears).lines();
    say(&mut says, "220 here").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line
            .split([' ', ':'])
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if verb == "DATA" {
            say(&mut says, "354 go on").await?;
            take_the_letter(&mut lines).await?;
        }
        say(
            &mut says,
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

async fn take_the_letter(lines: &mut Lines<BufReader<OwnedReadHalf>>) -> std::io::Result<()> {
    while lines.next_line().await?.is_some_and(|line| line != ".") {}
    Ok(())
}

async fn say(says: &mut OwnedWriteHalf, words: &str) -> std::io::Result<()> {
    says.write_all(format!("{words}\r\n").as_bytes()).await
}
