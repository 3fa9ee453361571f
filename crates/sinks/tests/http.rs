//! What each HTTP target builds arrives whole; failures are tried again or given up.

mod support;

use std::collections::BTreeSet;
use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};
use serde_json::json;
use sinks::http::{Api, HttpTarget, Request, agent, agent_trusting, send};
use sinks::outlet::Outlet;
use sinks::target::Item;
use sinks::*;
use support::{NoWait, deliver, event, http_server, read_request, tls_server};

/// Delivers items to a server and compares what arrives with what was to be sent.
#[track_caller]
fn arrives<A: Api + 'static>(make: impl Fn(&str) -> A, items: Vec<A::Item>)
where
    A::Item: Item + Clone,
{
    let (url, received) = http_server(vec![(200, "{}")]);
    let expected = make(&url).requests(&items);
    deliver(HttpTarget::new(make(&url), agent()), items);
    for request in expected {
        let arrived = received.recv().unwrap();
        let path = request.url.strip_prefix(&url).unwrap();
        let path = if path.starts_with('/') {
            path.to_string()
        } else {
            format!("/{path}")
        };
        assert_eq!(arrived.line, format!("{} {path}", request.method));
        assert_eq!(arrived.body, request.body);
        let headers: BTreeSet<_> = arrived.headers.into_iter().collect();
        for (name, value) in request.headers {
            assert!(
                headers.contains(&(name.to_lowercase(), value.clone())),
                "{name}: {value}"
            );
        }
    }
}

#[test]
fn alerts_and_messages_arrive() {
    let event = event("api rate", 2.5);
    let events = [event.clone()];
    arrives(
        |url| slack::Slack {
            webhook: url.into(),
            username: None,
            channel: None,
            icon: None,
        },
        vec![
            slack::Message::extended(&events),
            slack::Message::simple(&events),
        ],
    );
    arrives(
        |url| pagerduty::PagerDuty {
            url: url.into(),
            ..pagerduty::PagerDuty::new(pagerduty::Version::V2, "K")
        },
        vec![pagerduty::Incident::v2(pagerduty::Action::Trigger, &event)],
    );
    arrives(
        |url| opsgenie::Opsgenie {
            url: url.into(),
            ..opsgenie::Opsgenie::new("K")
        },
        vec![
            opsgenie::Alert::trigger(&event),
            opsgenie::Alert::resolve(&event),
        ],
    );
    arrives(
        |url| victorops::VictorOps {
            url: url.into(),
            ..victorops::VictorOps::new("K", "r")
        },
        vec![victorops::Message::new(victorops::Kind::Critical, &event)],
    );
    arrives(
        |url| pushover::Pushover {
            url: url.into(),
            ..pushover::Pushover::new("T", "U")
        },
        vec![pushover::Notice::new(&event)],
    );
    let sms = twilio::Sms {
        from: "1".into(),
        to: "2".into(),
        body: "ü".into(),
    };
    arrives(
        |url| twilio::Twilio {
            url: url.into(),
            ..twilio::Twilio::new("A", "K")
        },
        vec![sms],
    );
    let letter = mailgun::Letter {
        from: "a".into(),
        to: vec!["b".into()],
        subject: "s".into(),
        text: "t".into(),
    };
    arrives(
        |url| mailgun::Mailgun {
            url: url.into(),
            ..mailgun::Mailgun::new("d", "K")
        },
        vec![letter],
    );
    arrives(
        |url| hipchat::HipChat {
            url: url.into(),
            ..hipchat::HipChat::new("", "t", "room")
        },
        vec![hipchat::Message::new(&event)],
    );
    arrives(
        |url| msteams::Teams {
            webhook: format!("{url}/hook"),
        },
        vec![msteams::Card::new(&events)],
    );
    arrives(
        |url| telegram::Telegram {
            url: url.into(),
            ..telegram::Telegram::new("1:T", "c")
        },
        vec![telegram::Message::new(&event, telegram::Markup::Markdown)],
    );
}

#[test]
fn metrics_and_documents_arrive() {
    let event = event("api rate", 2.5);
    let point = influxdb::Point::from_event(&event, &influxdb::Shape::default()).unwrap();
    arrives(
        |url| {
            influxdb::InfluxDb::V2(influxdb::V2 {
                url: url.into(),
                org: "o".into(),
                bucket: "b".into(),
                token: "t".into(),
            })
        },
        vec![point],
    );
    let point = kairosdb::Point::new(&event, "m".into(), kairosdb::tags(&event)).unwrap();
    arrives(|url| kairosdb::Http { url: url.into() }, vec![point]);
    arrives(
        |url| druid::Druid {
            url: url.into(),
            dataset: "d".into(),
        },
        vec![druid::Row::new(&event).unwrap()],
    );
    arrives(
        |url| datadog::Datadog {
            url: url.into(),
            ..datadog::Datadog::new("K")
        },
        vec![datadog::Series::new(&event).unwrap()],
    );
    arrives(
        |url| stackdriver::Stackdriver {
            url: url.into(),
            ..stackdriver::Stackdriver::new("K")
        },
        vec![stackdriver::Point::new(&event, "m").unwrap()],
    );
    arrives(
        |url| boundary::Boundary {
            url: url.into(),
            ..boundary::Boundary::new("a", "b")
        },
        vec![boundary::Measurement::new(&event, "o", None).unwrap()],
    );
    arrives(
        |url| netuitive::Netuitive {
            url: url.into(),
            ..netuitive::Netuitive::new("K")
        },
        vec![netuitive::Sample::new(&event).unwrap()],
    );
    arrives(
        |url| keenio::KeenIo {
            url: url.into(),
            ..keenio::KeenIo::new("c", "p", "K")
        },
        vec![keenio::Entry::new(&event)],
    );
    arrives(
        |url| blueflood::Blueflood {
            url: url.into(),
            tenant: "t".into(),
        },
        vec![blueflood::Point::new(&event, blueflood::TTL_S).unwrap()],
    );
    arrives(
        |url| shinken::Shinken {
            url: url.into(),
            username: "u".into(),
            password: "p".into(),
        },
        vec![shinken::Check::new(&event).unwrap()],
    );
    arrives(
        |url| {
            let now = || jiff::Timestamp::UNIX_EPOCH;
            let url = format!("{url}/");
            let cloudwatch = cloudwatch::CloudWatch::new("r", "ID", "K", Box::new(now));
            cloudwatch::CloudWatch { url, ..cloudwatch }
        },
        vec![cloudwatch::Datum::new(&event).unwrap()],
    );
    let document = elasticsearch::Document {
        index: "riemann-2017".into(),
        kind: "event".into(),
        source: document::document(&event),
    };
    arrives(
        |url| elasticsearch::Elasticsearch(elasticsearch::Cluster::new(url)),
        vec![document],
    );
    let action = elasticsearch::Action::index(&event, "riemann", "event", "-yyyy").unwrap();
    arrives(
        |url| elasticsearch::Bulk(elasticsearch::Cluster::new(url)),
        vec![action; 3],
    );
}

#[test]
fn an_annotation_ends_by_the_identity_that_the_server_gave() {
    let (url, received) = http_server(vec![(201, r#"{"id":143}"#), (204, "")]);
    let settings = librato::Settings {
        url,
        ..librato::Settings::new("u", "k")
    };
    let event = event("deploy", 1.0);
    let entries = [librato::Entry::start(&event), librato::Entry::end(&event)];
    deliver(
        librato::Librato::new(settings, agent()),
        entries.into_iter().flatten().collect(),
    );
    assert_eq!(received.recv().unwrap().line, "POST /annotations/deploy");
    assert_eq!(received.recv().unwrap().line, "PUT /annotations/deploy/143");
}

fn notice(title: &str) -> pushover::Notice {
    pushover::Notice {
        title: title.into(),
        message: String::new(),
    }
}

#[test]
fn an_overloaded_server_is_asked_again_and_one_that_refuses_is_not() {
    let (url, received) = http_server(vec![(503, ""), (429, ""), (200, ""), (400, "bad token")]);
    let pushover = pushover::Pushover {
        url,
        ..pushover::Pushover::new("T", "U")
    };
    let target = HttpTarget::new(pushover, agent());
    let outlet = Outlet::new("pushover", target, Arc::new(NoWait::default()));
    outlet.offer(notice("one"));
    outlet.offer(notice("two"));
    outlet.close(Duration::from_secs(3600));
    let stats = outlet.stats();
    assert_eq!(
        (stats.sent, stats.failed, stats.lost),
        (1, 3, 1),
        "{stats:?}"
    );
    assert_eq!(stats.trouble.as_deref(), Some("status 400: bad token"));
    assert_eq!(received.try_iter().count(), 4);
}

#[test]
fn a_redirect_is_no_delivery() {
    let (url, received) = http_server(vec![(302, "elsewhere")]);
    let pushover = pushover::Pushover {
        url,
        ..pushover::Pushover::new("T", "U")
    };
    let target = HttpTarget::new(pushover, agent());
    let outlet = Outlet::new("pushover", target, Arc::new(NoWait::default()));
    outlet.offer(notice("one"));
    outlet.close(Duration::from_secs(3600));
    assert_eq!(outlet.stats().lost, 1);
    assert_eq!(
        outlet.stats().trouble.as_deref(),
        Some("status 302: elsewhere")
    );
    assert_eq!(received.try_iter().count(), 1);
}

#[test]
fn a_server_that_is_down_is_a_passing_trouble() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let request = Request::post(format!("http://{address}/secret?key=secret"));
    let error = send(&agent(), request).unwrap_err();
    assert!(error.retry);
    assert!(!error.message.contains("secret"), "{}", error.message);
}

#[test]
fn https_needs_a_server_that_is_trusted() {
    let (config, pem) = tls_server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "https://localhost:{}/x",
        listener.local_addr().unwrap().port()
    );
    thread::spawn(move || {
        for socket in listener.incoming() {
            let session = ServerConnection::new(config.clone()).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(session, socket.unwrap()));
            if read_request(&mut stream).is_some() {
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
                stream.get_mut().write_all(answer).unwrap();
            }
        }
    });
    let post = || Request::post(&url).json(&json!({}));
    assert!(send(&agent(), post()).is_err());
    let trusting = agent_trusting(pem.as_bytes()).unwrap();
    assert_eq!(send(&trusting, post()).unwrap().body, b"hi");
}
