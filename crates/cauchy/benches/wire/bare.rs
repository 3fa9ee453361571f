//! What the server is compared with, in processes of their own: a bare tokio loop that decodes, keeps
//! in the index and acknowledges, and one that sends back what it reads.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use codec::riemann::{Frames, decode_msg, encode_ack, frame};
use event::{Time, Views};
use index::Index;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The argument by which the bench runs itself as a bare server.
const ARGUMENT: &str = "bare-server";
/// As the server reads.
const READ_BYTES: usize = 512 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Index,
    Echo,
}

/// A bare server; it ends with this.
pub struct Bare {
    child: Child,
    pub address: SocketAddr,
}

impl Bare {
    pub fn start(kind: Kind) -> Bare {
        let this = std::env::current_exe().expect("a bench has a file");
        let kind = if kind == Kind::Index { "index" } else { "echo" };
        let mut child = Command::new(this)
            .args([ARGUMENT, kind])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the bench starts itself");
        let output = child.stdout.take().expect("standard output is piped");
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .expect("the bare server tells its address");
        let address = line.trim().parse().expect("an address");
        Bare { child, address }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves for ever if the bench was run as a bare server.
pub fn serve_if_asked(arguments: &[String]) {
    let [argument, kind] = arguments else { return };
    if argument != ARGUMENT {
        return;
    }
    let echo = kind == "echo";
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .expect("a runtime");
    let outcome: io::Result<()> = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            // A peer that has gone ends its connection, whatever the error says.
            let _ = if echo {
                send_back(stream).await
            } else {
                keep(stream).await
            };
        }
    });
    outcome.expect("a bare server serves");
}

async fn send_back(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let length = stream.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..length]).await?;
    }
}

async fn keep(mut stream: TcpStream) -> io::Result<()> {
    let index = Index::new();
    let mut ack = Vec::new();
    frame(&mut ack, encode_ack);
    let mut buffer = vec![0; READ_BYTES];
    let (mut from, mut answers, mut spare) = (0, Vec::new(), Views::new());
    loop {
        let length = stream.read(&mut buffer[from..]).await?;
        if length == 0 {
            return Ok(());
        }
        let bytes = &buffer[..from + length];
        let mut frames = Frames::new(bytes, READ_BYTES);
        let mut views = spare.recycle();
        for message in &mut frames {
            let message = message.map_err(io::Error::other)?;
            decode_msg(message, Time::from_s(0), &mut views).map_err(io::Error::other)?;
            answers.extend_from_slice(&ack);
        }
        index.insert_views(&views, 0..views.len());
        let (consumed, end) = (frames.consumed(), bytes.len());
        spare = views.recycle();
        buffer.copy_within(consumed..end, 0);
        from = end - consumed;
        stream.write_all(&answers).await?;
        answers.clear();
    }
}
