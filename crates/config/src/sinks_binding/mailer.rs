//! `riemann.email`: mail, through an SMTP server or the machine's own `sendmail`.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use sinks::mail::{Draft, Letter, Login, Mail, MailError, Security, Settings, Smtp};
use sinks::outlet::Outlet;

use super::letter::{self, Writer};
use super::options::Options;
use super::outlets::Outlets;
use super::sink;
use super::stand_in::SEND_MESSAGE;

const NAME: &str = "mailer";

/// Natives of `postal.core`.
pub const POSTAL: &[Native] = &[Native {
    name: "send-message",
    arglists: "([message] [server message])",
    doc: "Mails a message, a map of :from, :to, :cc, :bcc, :reply-to, :subject and :body; the server's \
          options are those of mailer. It leaves through a queue: nothing waits for the server.",
    arity: (1, Some(2)),
    code: send_message,
}];

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([] [options] [smtp-options message-options])",
    doc: "A function of mail addresses that gives a stream, which mails one event or several. \
          Options of the server: :host (without one, the machine's own sendmail), :port 25, :user, \
          :pass, :tls (STARTTLS), :ssl (TLS from the first byte, :port 465). Of the message: :from \
          \"riemann\", :to, :cc, :bcc, :reply-to, :subject and :body, functions of a list of events \
          (by default riemann.common/subject and riemann.common/body). The body may be a list of \
          maps of :type and :content; one of type text/html is sent as HTML.",
    arity: (0, Some(2)),
    code: mailer,
}];

fn mailer(cx: &Cx<'_>, args: &[Value]) -> Result {
    let server = Options::read(NAME, args.first().unwrap_or(&Value::Nil))?;
    let message = match args.get(1) {
        Some(message) => Options::read(NAME, message)?,
        None => server.clone(),
    };
    let outlet = open(cx, &server)?;
    let blank = blank(&message)?;
    let writer = Writer::new(&message);
    let smtp = args.first().cloned().unwrap_or_default();
    Ok(sink::of_recipients(NAME, move |_, recipients| {
        let mut blank = blank.clone();
        if !recipients.is_empty() {
            blank.to = recipients;
        }
        Ok(stream(&outlet, &smtp, blank, writer.clone()))
    }))
}

fn open(cx: &Cx<'_>, server: &Options) -> Result<Arc<Outlet<Letter>>> {
    let target = ["host", "port", "user", "pass", "tls", "ssl"].map(|key| server.get(key).into());
    cx.get::<Outlets>()?.open(&label(server), &target, || {
        Mail::new(settings(server)?).map_err(illegal)
    })
}

fn blank(message: &Options) -> Result<Draft> {
    Ok(Draft {
        from: message.text_or("from", "riemann"),
        to: message.names_or_text("to")?,
        cc: message.names_or_text("cc")?,
        bcc: message.names_or_text("bcc")?,
        reply_to: message.text("reply-to"),
        ..Draft::default()
    })
}

fn send_message(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (server, message) = match args {
        [server, message] => (server, message),
        _ => (&Value::Nil, &args[0]),
    };
    let outlet = open(cx, &Options::read(NAME, server)?)?;
    let message = Options::read(NAME, message)?;
    let (body, html) = letter::body_and_kind(&message.get("body").unwrap_or_default())?;
    let draft = Draft {
        subject: message.text_or("subject", ""),
        body,
        html,
        ..blank(&message)?
    };
    outlet.offer(Letter::of(draft).map_err(illegal)?);
    Ok(Value::map([(Value::keyword("code"), Value::Int(0))]))
}

/// The letter as `postal.core/send-message` takes it.
fn message(blank: &Draft, subject: String, body: Value) -> Value {
    let names = |names: &[String]| match names {
        [] => Value::Nil,
        names => Value::vector(names.iter().map(Value::str).collect()),
    };
    let fields = [
        ("from", Value::str(&blank.from)),
        ("to", names(&blank.to)),
        ("cc", names(&blank.cc)),
        ("bcc", names(&blank.bcc)),
        ("subject", subject.into()),
        ("body", body),
    ];
    let given = fields.into_iter().filter(|(_, value)| !value.is_nil());
    Value::map(given.map(|(name, value)| (Value::keyword(name), value)))
}

fn stream(outlet: &Arc<Outlet<Letter>>, smtp: &Value, blank: Draft, writer: Writer) -> Value {
    let smtp = smtp.clone();
    sink::stream(NAME, outlet, move |cx, value, outlet| {
        let events = sink::flatten(value)?;
        let subject = writer.subject(cx, &events)?;
        let written = writer.written_body(cx, &events)?;
        if let Some((_, stand_in)) = cx.get::<Outlets>()?.stand_ins.find(SEND_MESSAGE) {
            let message = message(&blank, subject, written);
            return cx.call(&stand_in, &[smtp.clone(), message]).map(drop);
        }
        let (body, html) = letter::body_and_kind(&written)?;
        let draft = Draft {
            subject,
            body,
            html,
            ..blank.clone()
        };
        outlet.offer(Letter::of(draft).map_err(illegal)?);
        Ok(())
    })
}

fn label(server: &Options) -> String {
    format!("{NAME} {}", server.text_or("host", "sendmail"))
}

fn settings(server: &Options) -> Result<Settings> {
    let Some(host) = server.text("host") else {
        return Ok(Settings::default());
    };
    let security = match (server.flag("ssl"), server.flag("tls")) {
        (true, _) => Security::Tls,
        (false, true) => Security::StartTls,
        (false, false) => Security::None,
    };
    let port = match server.get("port") {
        Some(_) => Some(server.port(0)?),
        None => None,
    };
    let login = server.text("user").map(|user| Login {
        user,
        password: server.text_or("pass", ""),
    });
    Ok(Settings::Smtp(Smtp {
        host,
        port,
        login,
        security,
        ca_pem: None,
    }))
}

fn illegal(error: MailError) -> Thrown {
    Thrown::illegal_argument(format!("{NAME}: {error}"))
}
