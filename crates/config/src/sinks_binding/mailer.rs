//! `riemann.email`: mail, through an SMTP server or the machine's own `sendmail`.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use sinks::mail::{Draft, Letter, Login, Mail, MailError, Security, Settings, Smtp};
use sinks::outlet::Outlet;

use super::letter::Writer;
use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "mailer";

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
    let target = ["host", "port", "user", "pass", "tls", "ssl"].map(|key| server.get(key).into());
    let outlet = cx.get::<Outlets>()?.open(&label(&server), &target, || {
        Mail::new(settings(&server)?).map_err(illegal)
    })?;
    let blank = Draft {
        from: message.text_or("from", "riemann"),
        to: message.names_or_text("to")?,
        cc: message.names_or_text("cc")?,
        bcc: message.names_or_text("bcc")?,
        reply_to: message.text("reply-to"),
        ..Draft::default()
    };
    let writer = Writer::new(&message);
    Ok(sink::of_recipients(NAME, move |_, recipients| {
        let mut blank = blank.clone();
        if !recipients.is_empty() {
            blank.to = recipients;
        }
        Ok(stream(&outlet, blank, writer.clone()))
    }))
}

fn stream(outlet: &Arc<Outlet<Letter>>, blank: Draft, writer: Writer) -> Value {
    sink::stream(NAME, outlet, move |cx, value, outlet| {
        let events = sink::flatten(value)?;
        let subject = writer.subject(cx, &events)?;
        let (body, html) = writer.body_and_kind(cx, &events)?;
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
