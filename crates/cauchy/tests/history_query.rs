//! History asked, by the command and over HTTP: a week of logins whose exact answers are known.
//!
//! It is the story of *Percentages Aren't People*: who takes longer than a second and a half is
//! lost. At five in the morning, when few are there, an outage of fifty minutes loses 121 people
//! in eight hours; the eight hours before lose 113, and no quantile shows it, for then many come.

mod server;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Output;
use std::time::{SystemTime, UNIX_EPOCH};

use event::{Draft, Event, Number, PackedHistogram, Time};
use histogram::Histogram;
use serde_json::{Value, json};
use server::{PATIENCE, Server, USUAL, eventually, http, program};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Logins in two modes instead of one, all day long.
const BIMODAL_DAY: i64 = 2;

/// The day whose evening the story begins in.
const STORY_DAY: i64 = 4;

const HOSTS: [&str; 2] = ["web1", "web2"];

fn config() -> String {
    format!("{USUAL}(streams (history {{:dir \"history\"}}))")
}

/// A week that is over, seven days of UTC; of some days ago, for samples are kept two weeks.
fn week_begins() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.expect("a clock after 1970").as_secs();
    (i64::try_from(now).expect("a near year") / DAY - 8) * DAY
}

/// Evening, outage and morning of the story, in seconds after the week's begin.
fn evening() -> i64 {
    STORY_DAY * DAY + 18 * HOUR
}

/// How many of a host's logins take 1.6 seconds in a minute.
fn slow(host: usize, minute: i64) -> u64 {
    let since = minute - evening() / MINUTE;
    let outage = 11 * 60..11 * 60 + 50;
    match (host, since) {
        // 100 people in the outage, 21 in the rest of the night and morning: 121.
        (1, since) if outage.contains(&since) => 2,
        (0, since) if (480..960).contains(&since) && since % 20 == 3 && since < 480 + 420 => 1,
        // The evening: 113 people, one in a minute.
        (0, since) if (0..452).contains(&since) && since % 4 == 1 => 1,
        _ => 0,
    }
}

/// The logins of a host in a minute: 43, at night 4.
fn logins(host: usize, minute: i64) -> Histogram {
    let (day, of_day) = (minute / (24 * 60), minute % (24 * 60));
    let is_night = (2 * 60..6 * 60).contains(&of_day);
    let crowd: &[(f64, u64)] = match (is_night, day) {
        (true, BIMODAL_DAY) => &[(0.1, 4)],
        (true, _) => &[(0.24, 4)],
        (false, BIMODAL_DAY) => &[(0.1, 10), (0.11, 11), (0.9, 12), (0.91, 10)],
        (false, _) => &[(0.22, 5), (0.23, 8), (0.24, 13), (0.25, 9), (0.26, 8)],
    };
    let mut logins = Histogram::new();
    for (wait, count) in crowd {
        logins.insert_n(*wait, *count);
    }
    let slow = slow(host, minute);
    if slow > 0 {
        logins.remove(0.24, slow);
        logins.insert_n(1.6, slow);
    }
    logins
}

fn event(host: &str, service: &str, at_s: i64) -> Draft<'static> {
    Draft {
        host: Some(host.to_owned().into()),
        service: Some(service.to_owned().into()),
        time: Some(Time::from_s(at_s)),
        ..Draft::record()
    }
}

/// A server, and where the week begins that it has been told of.
struct Told {
    server: Server,
    begins: i64,
}

impl Told {
    fn of_the_week() -> Told {
        Told::of_days(7)
    }

    fn of_days(days: i64) -> Told {
        let told = Told::of_nothing();
        let mut client = told.server.connect();
        let end = days * 24 * 60;
        for first in (0..end).step_by(500) {
            let minutes = first..(first + 500).min(end);
            let of_host = |host: usize| minutes.clone().map(move |minute| (host, minute));
            let events: Vec<Event> = of_host(0)
                .chain(of_host(1))
                .map(|(host, minute)| {
                    let at = told.begins + minute * MINUTE + 30;
                    let mut draft = event(HOSTS[host], "login", at);
                    draft.set_histogram(PackedHistogram::from(&logins(host, minute)));
                    draft.build()
                })
                .collect();
            client.send(&events);
        }
        told
    }

    fn of_nothing() -> Told {
        let begins = week_begins();
        let server = Server::start(&config());
        Told { server, begins }
    }

    fn command(&self, more: &[&str]) -> Output {
        let url = format!("http://{}", self.server.address("ws"));
        let mut command = program();
        command.arg("history").args(more).env("CAUCHY_URL", url);
        command.env_remove("COLUMNS").output().expect("it runs")
    }

    /// What the command prints, which must end well.
    fn said(&self, more: &[&str]) -> String {
        let output = self.command(more);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{more:?}: {error}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn get(&self, query: &str) -> (u16, Value) {
        let path = format!("/api/history?{}", encoded(query));
        let (status, body) = http::get(self.server.address("ws"), &path);
        let body = unchunked(&body);
        let json = serde_json::from_str(&body);
        (
            status,
            json.unwrap_or_else(|error| panic!("{query}: {status}, {error}: {body}")),
        )
    }

    /// Asks of some hours after the story's begin.
    fn story(&self, hours: std::ops::Range<i64>, more: &str) -> Value {
        let at = |hour: i64| self.begins + evening() + hour * HOUR;
        let (from, to) = (at(hours.start), at(hours.end));
        let query = format!("query=service = \"login\"&from={from}&to={to}&{more}");
        let (status, answer) = self.get(&query);
        assert_eq!((status, &answer["error"]), (200, &Value::Null), "{answer}");
        answer["series"][0].clone()
    }
}

/// As a URL has it.
fn encoded(query: &str) -> String {
    let escaped = [(' ', "%20"), ('"', "%22"), ('<', "%3C"), ('>', "%3E")];
    escaped
        .iter()
        .fold(query.to_owned(), |query, (char, code)| {
            query.replace(*char, code)
        })
}

/// The body without the lengths of its chunks, if it has them.
fn unchunked(body: &str) -> String {
    if body.starts_with('{') {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        whole += &after[..length];
        rest = after[length..].trim_start_matches("\r\n");
    }
    whole
}

#[test]
fn percentages_are_not_people() {
    let told = Told::of_the_week();
    let shows = "show=quantile:0.99,share-above:1.5,count-above:1.5,people-above:1.5";
    let evening = told.story(0..8, &format!("step=4m&{shows}"));
    let night = told.story(8..16, &format!("step=4m&{shows}"));
    let total = |story: &Value, at: usize| story["total"][at].clone();
    assert_eq!(
        (total(&evening, 3), total(&night, 3)),
        (json!(113), json!(121))
    );
    let last = |story: &Value| {
        story["rows"]
            .as_array()
            .and_then(|rows| rows.last().cloned())
    };
    assert_eq!(last(&evening).expect("rows")[4], json!(113));
    assert_eq!(last(&night).expect("rows")[4], json!(121));
    // Of four minutes of the evening no 99th percentile is as bad, of the outage's each is.
    let bad = |story: &Value| -> usize {
        let rows = story["rows"].as_array().expect("rows").iter();
        rows.filter(|row| row[1].as_f64().expect("a quantile") >= 1.5)
            .count()
    };
    assert_eq!(bad(&evening), 0);
    assert!(bad(&night) >= 13, "{}", bad(&night));
    // The same from a folder that the server has open, and by the command.
    let at = |hour: i64| (told.begins + self::evening() + hour * HOUR).to_string();
    let dir = told.server.path("history");
    let dir = ["--dir", dir.to_str().expect("text")];
    let (from, to) = (at(8), at(16));
    let question = [
        "service = \"login\"",
        "--from",
        &from,
        "--to",
        &to,
        "--step=8h",
        "--show=people-above:1.5,people-minutes-above:1.5@30s,count",
        "--json",
    ];
    let by_http = told.said(&question);
    assert_eq!(told.said(&[&question[..], &dir].concat()), by_http);
    let answer: Value = serde_json::from_str(&by_http).expect("JSON");
    let logins = 2 * (4 * 240 + 43 * 240);
    assert_eq!(answer["series"][0]["total"], json!([121, 60.5, logins]));
}

#[test]
fn a_week_is_told_by_the_day() {
    let told = Told::of_the_week();
    let (from, to) = (told.begins, told.begins + 7 * DAY);
    let query = format!("query=service = \"login\"&from={from}&to={to}&step=1d");
    let (_, answer) = told.get(&format!("{query}&show=modes,count,quantile:0.5,max"));
    let rows = answer["series"][0]["rows"].as_array().expect("rows");
    let modes: Vec<usize> = rows
        .iter()
        .map(|row| row[1].as_array().expect("modes").len())
        .collect();
    let mut expected = [1; 7];
    expected[BIMODAL_DAY as usize] = 2;
    // The days of the story have those who waited beside the crowd, who may be a mode or not.
    assert_eq!(modes[..4], expected[..4], "{answer}");
    let a_day = 2 * (43 * 20 * 60 + 4 * 4 * 60);
    assert!(rows.iter().all(|row| row[2] == json!(a_day)), "{answer}");
    // Rolled-up history answers the same.
    let (_, cells) = told.get(&format!(
        "{query}&show=modes,count,quantile:0.5,max&source=30m"
    ));
    assert_eq!(cells["series"], answer["series"]);
    // Each host by itself.
    let (_, each) = told.get(&format!("{query}&show=count&each=true"));
    assert_eq!(
        (&each["series"][1]["host"], &each["matched"]),
        (&json!("web2"), &json!(2))
    );
    assert_eq!(each["series"][1]["rows"][3][1], json!(a_day / 2));
    // Its heat as a picture of the whole.
    let (_, heat) = told.get(&format!("{query}&show=heatmap&step=90m"));
    let slices = heat["series"][0]["rows"].as_array().expect("rows");
    let bins = slices
        .iter()
        .flat_map(|row| row[1].as_array().expect("bins"));
    let sum: u64 = bins.map(|bin| bin[2].as_u64().expect("a count")).sum();
    assert_eq!((slices.len(), sum), (112, 7 * a_day));
}

#[test]
fn the_command_draws_and_prints() {
    let told = Told::of_nothing();
    let events = |service: &str, state: &str| -> Vec<Event> {
        let event = |minute: i64| Draft {
            metric: Some(Number::Int(minute)),
            state: Some(state.to_owned().into()),
            ..event("db1", service, told.begins + minute * MINUTE)
        };
        (0..60).map(event).map(Draft::build).collect()
    };
    let mut client = told.server.connect();
    client.send(&events("disk /", "ok"));
    client.send(&events("disk /var", "ok"));
    let (from, to) = (told.begins.to_string(), (told.begins + HOUR).to_string());
    let hour = ["--from", &from, "--to", &to, "--step", "10m"];
    let said = |more: &[&str]| told.said(&[&hour[..], more].concat());

    let text = said(&[
        "service = \"disk /\"",
        "--show",
        "count,max,text",
        "--rows",
        "2",
    ]);
    assert!(
        text.contains("count\n") && text.contains('⠤') | text.contains('⠉'),
        "{text}"
    );
    assert!(
        text.contains("db1  disk /\n… 4 rows before these\n"),
        "{text}"
    );
    assert!(text.contains(":50:00Z     10   59"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );

    let csv = said(&["true", "--each", "--show", "last", "--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0]), (13, "time,series,last"));
    assert_eq!(
        lines[12],
        format!("{},db1  disk /var,59.0", told.begins + 50 * MINUTE)
    );

    let file = told.server.path("disks.svg");
    let svg = [
        "true",
        "--each",
        "--show",
        "last",
        "--svg",
        file.to_str().expect("text"),
    ];
    said(&svg);
    let svg = std::fs::read_to_string(file).expect("a picture");
    assert!(
        svg.starts_with("<svg ") && svg.contains("db1  disk /var</text>"),
        "{svg}"
    );

    let names = told.said(&["host = \"db1\"", "--names"]);
    assert_eq!(names, "db1  disk /\ndb1  disk /var\n2 series match\n");
    let none = told.command(&["host = \"db9\""]);
    let error = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(error.starts_with("cauchy: no series match; "), "{error}");
}

#[test]
fn what_is_wrong_is_said_with_a_remedy() {
    let told = Told::of_nothing();
    let check = |query: &str, error: &str, remedy: &str| {
        let (status, answer) = told.get(query);
        assert_eq!(status, 400, "{answer}");
        assert_eq!(
            (&answer["error"], &answer["remedy"]),
            (&json!(error), &json!(remedy))
        );
    };
    check(
        "query=metric > 1",
        "series have no metric",
        "ask for host, service, and the attributes and tags that `:by` of `history` names",
    );
    check(
        "query=true&from=yesterday",
        "'yesterday' is no time",
        "write 2026-11-20T05:00:00Z, seconds since 1970, now, or -6h",
    );
    check(
        "query=true&from=0&to=604800&step=1s",
        "the question has 604800 steps; 50000 are answered at once",
        "take a step of 13s or more, or less time",
    );
    let refused = told.command(&["service =~", "--show", "p99"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    assert!(error.starts_with("cauchy: column "), "{error}");
    let nobody = told.command(&["true", "--url", "http://127.0.0.1:1"]);
    let error = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(error.contains("is the server up?"), "{error}");
    let nowhere = told.command(&["true", "--dir", "nowhere"]);
    let error = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(error.contains("there is no history here"), "{error}");
    let server = Server::start(USUAL);
    let (status, body) = http::get(server.address("ws"), "/api/history?query=true");
    assert_eq!(status, 404);
    assert!(body.contains("this server keeps no history"), "{body}");
}

/// A connection on which much was asked and nothing was read.
fn ask_much(told: &Told) -> TcpStream {
    let address = told.server.address("ws");
    let mut stream = TcpStream::connect(address).expect("the server takes a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("an option");
    let (from, to) = (told.begins, told.begins + 7 * DAY);
    // Some tens of megabytes: more than sockets hold.
    let show = vec!["heatmap"; 32].join(",");
    let request = format!(
        "GET /api/history?query=true&from={from}&to={to}&step=1m&each=true&show={show} \
         HTTP/1.1\r\nHost: a\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it is read");
    stream
}

/// Threads of the server that answer questions.
fn questions(server: &Server) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid()));
    let tasks = tasks.expect("the process runs").flatten();
    let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
    tasks
        .filter_map(|task| name(task).ok())
        .filter(|name| name.trim() == "question")
        .count()
}

#[test]
fn a_client_that_leaves_ends_its_question() {
    let told = Told::of_days(2);
    let streams: Vec<TcpStream> = (0..8).map(|_| ask_much(&told)).collect();
    for mut stream in &streams {
        // The head and a part of the answer come, and then the server waits for the reader.
        let mut some = [0; 4096];
        stream.read_exact(&mut some).expect("an answer begins");
        assert!(some.starts_with(b"HTTP/1.1 200 OK"));
    }
    assert_eq!(questions(&told.server), 8);
    let (status, busy) = told.get("query=true");
    assert_eq!(status, 503, "{busy}");
    assert_eq!(
        busy["error"],
        json!("8 questions to history are being answered already")
    );
    drop(streams);
    eventually("the end of the questions", || {
        (questions(&told.server) == 0).then_some(())
    });
    assert_eq!(told.get("query=true").0, 200);
}
