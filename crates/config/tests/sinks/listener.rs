//! Servers of a test's own, which tell it what they were sent.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Nothing that is sent takes longer, unless it is lost.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Listener {
    pub port: u16,
    heard: Receiver<String>,
}

impl Listener {
    /// A server whose connections are each served by `serve`, which sends what it hears.
    fn start(serve: fn(TcpStream, &Sender<String>) -> std::io::Result<()>) -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (to, heard) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let to = to.clone();
                thread::spawn(move || serve(stream, &to));
            }
        });
        Listener { port, heard }
    }

    /// Hears lines.
    pub fn lines() -> Listener {
        Listener::start(|stream, to| {
            for line in BufReader::new(stream).lines() {
                let _ = to.send(line?);
            }
            Ok(())
        })
    }

    /// Hears HTTP requests: request line, the headers that say what is in it and by whom, body.
    /// Answers each with an empty JSON object; a path that names a status gets that.
    pub fn http() -> Listener {
        Listener::start(|stream, to| {
            let mut reader = BufReader::new(stream.try_clone()?);
            while let Some(request) = request(&mut reader)? {
                let status = request.split('/').nth(1).and_then(|path| path.get(..3));
                let status: u16 = status.and_then(|path| path.parse().ok()).unwrap_or(200);
                let _ = to.send(request);
                let answer = format!(
                    "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n\
                     Content-Length: 9\r\n\r\n{{\"a\":[1]}}"
                );
                (&stream).write_all(answer.as_bytes())?;
            }
            Ok(())
        })
    }

    /// Hears letters, by SMTP.
    pub fn smtp() -> Listener {
        Listener::start(|stream, to| {
            let mut reader = BufReader::new(stream.try_clone()?);
            let say = |text: &str| (&stream).write_all(format!("{text}\r\n").as_bytes());
            say("220 test")?;
            let (mut letter, mut in_letter) = (String::new(), false);
            let mut line = String::new();
            while reader.read_line(&mut line)? > 0 {
                let text = line.trim_end().to_owned();
                line.clear();
                if in_letter && text == "." {
                    let _ = to.send(std::mem::take(&mut letter));
                    in_letter = false;
                    say("250 ok")?;
                } else if in_letter {
                    letter = letter + &text + "\n";
                } else if text == "DATA" {
                    in_letter = true;
                    say("354 go on")?;
                } else if text == "QUIT" {
                    return say("221 bye");
                } else {
                    if text.starts_with("MAIL") || text.starts_with("RCPT") {
                        letter = letter + &text + "\n";
                    }
                    say("250 ok")?;
                }
            }
            Ok(())
        })
    }

    /// The next thing that was sent.
    pub fn next(&self) -> String {
        self.heard
            .recv_timeout(PATIENCE)
            .expect("something was to be sent")
    }
}

fn request(reader: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut head = String::new();
    if reader.read_line(&mut head)? == 0 {
        return Ok(None);
    }
    let (mut request, mut length) = (head.trim_end().to_owned() + "\n", 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(": ").unwrap_or((header, ""));
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            name @ ("content-type" | "authorization" | "x-test") => {
                request.push_str(&format!("{name}: {value}\n"));
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(request + &String::from_utf8_lossy(&body)))
}
