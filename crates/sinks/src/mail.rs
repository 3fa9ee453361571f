//! Mail, through an SMTP server or the machine's own `sendmail`.

use event::{Event, Fields};
use jiff::tz::TimeZone;
use lettre::message::header::{self, ContentType};
use lettre::message::{Mailbox, Mailboxes, MessageBuilder};
use lettre::transport::sendmail::SendmailTransport;
use lettre::transport::smtp::SmtpTransport;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Message, Transport};
use thiserror::Error;

use crate::policy::IO_TIMEOUT;
use crate::target::{DeliveryError, Item, Target};
use crate::words;

/// Where mail goes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settings {
    /// The program of that name or path, on this machine.
    Sendmail {
        command: String,
    },
    Smtp(Smtp),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::Sendmail {
            command: "sendmail".into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smtp {
    pub host: String,
    /// `None`: 465 for [`Security::Tls`], else 25.
    pub port: Option<u16>,
    pub login: Option<Login>,
    pub security: Security,
    /// Further authorities to trust, as PEM.
    pub ca_pem: Option<Vec<u8>>,
}

/// A user and a password; `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Plain text.
    None,
    /// STARTTLS where the server offers it, else plain text.
    Opportunistic,
    /// STARTTLS or nothing.
    StartTls,
    /// TLS from the first byte.
    Tls,
}

/// A setting or an address that cannot work.
#[derive(Debug, Error)]
pub enum MailError {
    #[error("{0:?} is not a mail address")]
    Address(String),
    #[error("mail needs a recipient")]
    NoRecipient,
    #[error("TLS: {0}")]
    Tls(#[from] lettre::transport::smtp::Error),
    #[error("mail: {0}")]
    Message(#[from] lettre::error::Error),
}

/// What a letter says, and to whom. An address without `@` is one on `localhost`.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    /// Get it too, unseen by the others.
    pub bcc: Vec<String>,
    pub reply_to: Option<String>,
    pub subject: String,
    pub body: String,
    /// The body is HTML, not plain text.
    pub html: bool,
}

/// One letter, ready to go.
#[derive(Clone, Debug)]
pub struct Letter {
    message: Message,
    size_bytes: usize,
}

impl Letter {
    /// A plain text letter. An address without `@` is one on `localhost`.
    ///
    /// # Errors
    /// When an address is none, or nobody is to get it.
    pub fn new(from: &str, to: &[&str], subject: &str, body: String) -> Result<Letter, MailError> {
        Letter::of(Draft {
            from: from.into(),
            to: to.iter().map(|to| (*to).into()).collect(),
            subject: subject.into(),
            body,
            ..Draft::default()
        })
    }

    /// # Errors
    /// When an address is none, or nobody is to get it.
    pub fn of(draft: Draft) -> Result<Letter, MailError> {
        if draft.to.is_empty() && draft.cc.is_empty() && draft.bcc.is_empty() {
            return Err(MailError::NoRecipient);
        }
        let mut builder = MessageBuilder::new().from(mailbox(&draft.from)?);
        if !draft.to.is_empty() {
            builder = builder.mailbox(header::To::from(mailboxes(&draft.to)?));
        }
        if !draft.cc.is_empty() {
            builder = builder.mailbox(header::Cc::from(mailboxes(&draft.cc)?));
        }
        if !draft.bcc.is_empty() {
            builder = builder.mailbox(header::Bcc::from(mailboxes(&draft.bcc)?));
        }
        if let Some(address) = &draft.reply_to {
            builder = builder.reply_to(mailbox(address)?);
        }
        let kind = if draft.html {
            ContentType::TEXT_HTML
        } else {
            ContentType::TEXT_PLAIN
        };
        let message = builder
            // A line break would begin another header.
            .subject(draft.subject.replace(['\r', '\n'], " "))
            .header(kind)
            .body(draft.body)?;
        let size_bytes = message.formatted().len();
        Ok(Letter {
            message,
            size_bytes,
        })
    }

    /// The letter as it travels.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.message.formatted()
    }
}

impl Item for Letter {
    fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    fn told(&self) -> String {
        String::from_utf8_lossy(&self.message.formatted()).into_owned()
    }
}

fn mailboxes(addresses: &[String]) -> Result<Mailboxes, MailError> {
    addresses.iter().map(|address| mailbox(address)).collect()
}

fn mailbox(address: &str) -> Result<Mailbox, MailError> {
    let parsed = if address.contains('@') {
        address.parse()
    } else {
        format!("{address}@localhost").parse()
    };
    parsed.map_err(|_| MailError::Address(address.into()))
}

/// `hosts services states`, each as one name, a short list, or a number of them.
pub fn subject(events: &[Event]) -> String {
    let parts = [
        ("host", "hosts"),
        ("service", "services"),
        ("state", "states"),
    ];
    let named: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, plural)| {
            let values = events.iter().map(|event| words::field(event, name));
            several(values.collect(), plural)
        })
        .collect();
    named.join(" ")
}

fn several(values: Vec<String>, plural: &str) -> Option<String> {
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    match distinct.as_slice() {
        [] => None,
        [one] if one.is_empty() => None,
        [one] => Some(one.clone()),
        [one, two] => Some(format!("{one} and {two}")),
        [first @ .., last] if first.len() < 4 => Some(format!("{}, and {last}", first.join(", "))),
        many => Some(format!("{} {plural}", many.len())),
    }
}

/// The events in words, one paragraph each, with times in `zone`.
pub fn body(events: &[Event], zone: &TimeZone) -> String {
    let paragraphs: Vec<String> = events.iter().map(|event| paragraph(event, zone)).collect();
    paragraphs.join("\n\n\n")
}

fn paragraph(event: &Event, zone: &TimeZone) -> String {
    let time = event
        .time()
        .and_then(|time| jiff::Timestamp::from_microsecond(time.us).ok())
        .map(|time| {
            time.to_zoned(zone.clone())
                .strftime("%a %b %d %H:%M:%S %Z %Y")
                .to_string()
        });
    let [host, service, state, metric, tags, description] =
        ["host", "service", "state", "metric", "tags", "description"]
            .map(|name| words::field(event, name));
    let attributes: Vec<String> = words::attributes(event)
        .iter()
        .map(|(name, value)| format!(":{name} {value:?}"))
        .collect();
    format!(
        "At {}\n{host} {service} {state} ({metric})\nTags: [{tags}]\n\
         Custom Attributes: {{{}}}\n\n{description}",
        time.unwrap_or_default(),
        attributes.join(", ")
    )
}

/// Sends letters.
pub enum Mail {
    Sendmail(SendmailTransport),
    Smtp(SmtpTransport),
}

impl Mail {
    /// # Errors
    /// When the authorities are not PEM, or the host cannot be a TLS name.
    pub fn new(settings: Settings) -> Result<Mail, MailError> {
        match settings {
            Settings::Sendmail { command } => {
                Ok(Mail::Sendmail(SendmailTransport::new_with_command(command)))
            }
            Settings::Smtp(smtp) => Ok(Mail::Smtp(transport(smtp)?)),
        }
    }
}

fn transport(smtp: Smtp) -> Result<SmtpTransport, MailError> {
    let parameters = || {
        let mut builder = TlsParameters::builder(smtp.host.clone());
        if let Some(pem) = &smtp.ca_pem {
            builder = builder.add_root_certificate(Certificate::from_pem(pem)?);
        }
        builder.build()
    };
    let (tls, port) = match smtp.security {
        Security::None => (Tls::None, 25),
        Security::Opportunistic => (Tls::Opportunistic(parameters()?), 25),
        Security::StartTls => (Tls::Required(parameters()?), 25),
        Security::Tls => (Tls::Wrapper(parameters()?), 465),
    };
    let mut builder = SmtpTransport::builder_dangerous(&smtp.host)
        .port(smtp.port.unwrap_or(port))
        .timeout(Some(IO_TIMEOUT))
        .tls(tls);
    if let Some(login) = smtp.login {
        builder = builder.credentials(Credentials::new(login.user, login.password));
    }
    Ok(builder.build())
}

impl Target for Mail {
    type Item = Letter;

    fn batch_max(&self) -> usize {
        1
    }

    fn deliver(&mut self, batch: &[Letter]) -> Result<(), DeliveryError> {
        for Letter { message, .. } in batch {
            match self {
                Mail::Sendmail(sendmail) => {
                    sendmail
                        .send(message)
                        .map_err(|e| DeliveryError::passing(e.to_string()))?;
                }
                Mail::Smtp(smtp) => {
                    smtp.send(message).map_err(|error| DeliveryError {
                        retry: !error.is_permanent(),
                        message: error.to_string(),
                    })?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use event::{Draft, Number, Time};

    use super::*;

    fn event(host: &'static str, state: &'static str) -> Event {
        Draft {
            host: Some(host.into()),
            service: Some("disk".into()),
            state: Some(state.into()),
            description: Some("nearly full".into()),
            metric: Number::Int(1).div(&Number::Int(2)).ok(),
            tags: Some(vec!["a".into(), "b".into()]),
            time: Some(Time::from_s(1_366_049_218)),
            attrs: vec![("zone".into(), "x".into())],
            ..Draft::record()
        }
        .build()
    }

    #[test]
    fn a_subject_names_what_is_few_and_counts_what_is_many() {
        assert_eq!(subject(&[event("a", "ok")]), "a disk ok");
        assert_eq!(
            subject(&[event("a", "ok"), event("b", "ok")]),
            "a and b disk ok"
        );
        let hosts: Vec<Event> = ["a", "b", "c", "d"].map(|host| event(host, "ok")).into();
        assert_eq!(subject(&hosts), "a, b, c, and d disk ok");
        let hosts: Vec<Event> = ["a", "b", "c", "d", "e"]
            .map(|host| event(host, "ok"))
            .into();
        assert_eq!(subject(&hosts), "5 hosts disk ok");
        assert_eq!(subject(&[]), "");
    }

    #[test]
    fn a_body_has_a_paragraph_an_event() {
        let one = "At Mon Apr 15 18:06:58 UTC 2013\na disk ok (0.5)\nTags: [a, b]\n\
                   Custom Attributes: {:zone \"x\"}\n\nnearly full";
        assert_eq!(body(&[event("a", "ok")], &TimeZone::UTC), one);
        let two = body(&[event("a", "ok"), event("a", "ok")], &TimeZone::UTC);
        assert_eq!(two, format!("{one}\n\n\n{one}"));
    }

    #[test]
    fn a_letter_is_plain_text_and_one_header_stays_one() {
        let letter = Letter::new(
            "riemann",
            &["a@b.c", "d@e.f"],
            "x\r\nBcc: z@z.z",
            "hi".into(),
        );
        let text = String::from_utf8(letter.unwrap().to_bytes()).unwrap();
        assert!(text.contains("From: riemann@localhost\r\n"), "{text}");
        assert!(text.contains("To: a@b.c, d@e.f\r\n"), "{text}");
        assert!(text.contains("Subject: x  Bcc: z@z.z\r\n"), "{text}");
        assert!(
            text.contains("Content-Type: text/plain; charset=utf-8\r\n"),
            "{text}"
        );
        assert!(text.ends_with("\r\n\r\nhi"), "{text}");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        assert!(matches!(
            Letter::new("a", &["b c"], "", String::new()),
            Err(MailError::Address(address)) if address == "b c"
        ));
        assert!(matches!(
            Letter::new("a", &[], "", String::new()),
            Err(MailError::NoRecipient)
        ));
    }
}
