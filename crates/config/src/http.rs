//! `clj-http.client`: requests that code makes itself, and waits for.

use std::sync::Arc;
use std::time::Duration;

use clj::{Cx, Exception, Keyword, Map, Native, Result, Thrown, Value, seq};
use parking_lot::Mutex;
use sinks::fetch::{Answer, Call, FetchError, fetch};

use crate::effects::{Effect, without_query};
use crate::sinks_binding::{Options, Outlets, text, to_value_with};

const NAME: &str = "clj-http";
/// Redirections that are followed, as clj-http does.
const REDIRECTS_MAX: u32 = 20;
/// Statuses for which nothing is thrown.
pub(crate) const USUAL: [u16; 13] = [
    200, 201, 202, 203, 204, 205, 206, 207, 300, 301, 302, 303, 307,
];

pub const NATIVES: &[Native] = &[
    method("get", |cx, args| simple(cx, "GET", args)),
    method("head", |cx, args| simple(cx, "HEAD", args)),
    method("post", |cx, args| simple(cx, "POST", args)),
    method("put", |cx, args| simple(cx, "PUT", args)),
    method("patch", |cx, args| simple(cx, "PATCH", args)),
    method("delete", |cx, args| simple(cx, "DELETE", args)),
    method("options", |cx, args| simple(cx, "OPTIONS", args)),
    Native {
        name: "request",
        arglists: "([request])",
        doc: "Makes a request and waits for its answer: a map of :method (or :request-method), \
              :url, and the options of get.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let options = Options::read(NAME, &args[0])?;
            let method = options
                .text("method")
                .or_else(|| options.text("request-method"));
            let method = method.unwrap_or_else(|| "get".into()).to_uppercase();
            request(cx, &method, &options.required("url")?, &options)
        },
    },
];

const fn method(name: &'static str, code: clj::NativeFn) -> Native {
    Native {
        name,
        arglists: "([url] [url options] [url options respond raise])",
        doc: "Makes a request and waits for its answer, a map of :status, :headers and :body. \
              Options: :body, :headers, :content-type and :accept (:json, or a media type), \
              :query-params, :form-params, :basic-auth [user password], :oauth-token, :as :json, \
              :socket-timeout and :conn-timeout in milliseconds (5000), :insecure? false, \
              :follow-redirects true, :throw-exceptions true: a status that is no success throws \
              ExceptionInfo \"clj-http: status 500\" with the answer as its data. With :async? true \
              another thread calls respond with the answer, or raise with the exception.",
        arity: (1, Some(4)),
        code,
    }
}

fn simple(cx: &Cx<'_>, method: &'static str, args: &[Value]) -> Result {
    let options = Options::read(NAME, args.get(1).unwrap_or(&Value::Nil))?;
    let url = text(&args[0]);
    match args {
        [_, _, respond, raise] => later(cx, method, url, options, [respond, raise]),
        _ => request(cx, method, &url, &options),
    }
}

/// Makes the request on another thread, which calls one of the functions. Gives a future.
fn later(
    cx: &Cx<'_>,
    method: &'static str,
    url: String,
    options: Options,
    [respond, raise]: [&Value; 2],
) -> Result {
    let (respond, raise) = (respond.clone(), raise.clone());
    let call = clj::closure::function("request", move |cx, _| {
        match request(cx, method, &url, &options) {
            Ok(answer) => cx.call(&respond, &[answer]),
            Err(thrown) => cx.call(&raise, &[thrown.caught()]),
        }
    });
    clj::core::deferred::spawn(cx, call)
}

fn request(cx: &Cx<'_>, method: &str, url: &str, options: &Options) -> Result {
    let outlets = cx.get::<Outlets>()?;
    let insecure = options.flag("insecure?") || options.flag("insecure");
    let agent = if insecure {
        outlets.agent_trusting_all()
    } else {
        outlets.agent()
    };
    let call = call(method, url, options)?;
    if let Some(effects) = outlets.effects() {
        effects(Effect {
            sink: NAME.into(),
            action: method.to_owned(),
            to: without_query(&call.url),
            body: String::from_utf8_lossy(call.body.as_deref().unwrap_or_default()).into_owned(),
        });
        return Ok(nothing_said());
    }
    let answer = fetch(&agent, call).map_err(thrown)?;
    let status = answer.status;
    let response = response(answer, options)?;
    let throws = !["throw-exceptions", "throw-exceptions?"]
        .iter()
        .any(|key| options.get(key) == Some(Value::Bool(false)));
    if throws && !USUAL.contains(&status) {
        return Err(exceptional(status, response));
    }
    Ok(Value::Map(response))
}

/// The answer to a request that was not made.
fn nothing_said() -> Value {
    Value::map([
        (Value::keyword("status"), Value::Int(200)),
        (Value::keyword("headers"), Value::Map(Map::default())),
        (Value::keyword("body"), Value::str("")),
    ])
}

fn call(method: &str, url: &str, options: &Options) -> Result<Call> {
    let mut url = url.to_owned();
    let query = parameters(&options.get("query-params").unwrap_or_default())?;
    if !query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&form(&query));
    }
    let mut headers = options.pairs("headers")?;
    let content = options.text("content-type").map(|kind| media_type(&kind));
    let body = body(options, content.as_deref())?;
    let content = content.or_else(|| {
        let params = options.get("form-params");
        params.map(|_| "application/x-www-form-urlencoded".into())
    });
    let accept = options.text("accept").map(|kind| media_type(&kind));
    let authorization = authorization(options)?;
    for (name, value) in [
        ("Content-Type", content),
        ("Accept", accept),
        ("Authorization", authorization),
    ] {
        if let Some(value) = value
            && !headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        {
            headers.push((name.into(), value));
        }
    }
    let follows = options.get("follow-redirects") != Some(Value::Bool(false));
    let repeatable = matches!(method, "GET" | "HEAD");
    Ok(Call {
        method: method.into(),
        url,
        headers,
        body,
        connect_timeout: milliseconds(options, &["conn-timeout", "connection-timeout"]),
        read_timeout: milliseconds(options, &["socket-timeout"]),
        redirects_max: if follows && repeatable {
            REDIRECTS_MAX
        } else {
            0
        },
    })
}

fn body(options: &Options, content: Option<&str>) -> Result<Option<Vec<u8>>> {
    if let Some(body) = options.get("body") {
        return Ok(Some(text(&body).into_bytes()));
    }
    let Some(params) = options.get("form-params") else {
        return Ok(None);
    };
    Ok(Some(match content {
        Some("application/json") => clj::json::to_json(&params).into_bytes(),
        _ => form(&parameters(&params)?).into_bytes(),
    }))
}

/// Names and values; one that has several values is given for each.
pub(crate) fn parameters(params: &Value) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for entry in seq::iter(params) {
        let entry = entry?;
        let (name, value) = (seq::first(&entry)?, seq::first(&seq::rest(&entry)?)?);
        if value.is_sequential() {
            for one in seq::to_vec(&value)? {
                all.push((text(&name), text(&one)));
            }
        } else {
            all.push((text(&name), text(&value)));
        }
    }
    Ok(all)
}

pub(crate) fn form(pairs: &[(String, String)]) -> String {
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    sinks::url::form(&pairs)
}

/// `:json` is `application/json`; what has a slash is meant as it is.
fn media_type(kind: &str) -> String {
    if kind.contains('/') {
        kind.to_owned()
    } else {
        format!("application/{kind}")
    }
}

fn authorization(options: &Options) -> Result<Option<String>> {
    if let Some(token) = options.text("oauth-token") {
        return Ok(Some(format!("Bearer {token}")));
    }
    let Some(login) = options.get("basic-auth") else {
        return Ok(None);
    };
    let login = match login {
        Value::Str(login) => login.to_string(),
        pair => seq::to_vec(&pair)?
            .iter()
            .map(text)
            .collect::<Vec<_>>()
            .join(":"),
    };
    Ok(Some(sinks::http::basic(&login)))
}

fn milliseconds(options: &Options, keys: &[&str]) -> Option<Duration> {
    let value = keys.iter().find_map(|key| options.get(key))?;
    let ms = value.as_number()?.to_i64_lossy();
    u64::try_from(ms)
        .ok()
        .filter(|ms| *ms > 0)
        .map(Duration::from_millis)
}

fn response(answer: Answer, options: &Options) -> Result<Map> {
    let headers = answer
        .headers
        .iter()
        .map(|(name, value)| (Value::from(name.as_str()), Value::from(value.as_str())));
    let headers: Map = headers.collect();
    let body = String::from_utf8_lossy(&answer.body);
    let body = match options.text("as").as_deref() {
        Some("json") => json(&body, &|name| Value::keyword(name))?,
        Some("auto") if is_json(&answer) => json(&body, &|name| Value::keyword(name))?,
        Some("json-string-keys") => json(&body, &|name| Value::str(name))?,
        _ => Value::str(&body),
    };
    Ok([
        (Value::keyword("status"), Value::Int(answer.status.into())),
        (Value::keyword("headers"), Value::Map(headers)),
        (Value::keyword("body"), body),
    ]
    .into_iter()
    .collect())
}

fn is_json(answer: &Answer) -> bool {
    answer.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type") && value.starts_with("application/json")
    })
}

fn json(body: &str, key: &dyn Fn(&str) -> Value) -> Result {
    if body.trim().is_empty() {
        return Ok(Value::Nil);
    }
    let json = serde_json::from_str(body).map_err(|error| {
        Thrown::new(
            "com.fasterxml.jackson.core.JsonParseException",
            error.to_string(),
        )
    })?;
    Ok(to_value_with(&json, key))
}

fn exceptional(status: u16, mut data: Map) -> Thrown {
    data.insert(
        Value::keyword("type"),
        Value::Keyword(Keyword::new(
            Some("clj-http.client"),
            "unexceptional-status",
        )),
    );
    Thrown::from_value(Value::object(Exception {
        class: "clojure.lang.ExceptionInfo".into(),
        message: Some(Arc::from(format!("{NAME}: status {status}"))),
        data: Some(data),
        cause: None,
        trace: Mutex::default(),
        hint: std::sync::OnceLock::new(),
    }))
}

fn thrown(error: FetchError) -> Thrown {
    let class = match &error {
        FetchError::Request(_) => "java.net.MalformedURLException",
        FetchError::UnknownHost(_) => "java.net.UnknownHostException",
        FetchError::Refused(_) => "java.net.ConnectException",
        FetchError::Timeout(_) => "java.net.SocketTimeoutException",
        FetchError::Other(_) => "java.io.IOException",
    };
    Thrown::new(class, error.to_string())
}
