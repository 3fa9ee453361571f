//! `clj-http.client`: what it has beside requests.

use clj::{Cx, Map, Native, Result, Value, form, seq};

pub const NATIVES: &[Native] = &[
    status("success?", "True for an answer of 200 to 299.", |_, a| {
        within(a, 200..300)
    }),
    status("redirect?", "True for an answer of 300 to 399.", |_, a| {
        within(a, 300..400)
    }),
    status(
        "client-error?",
        "True for an answer of 400 to 499.",
        |_, a| within(a, 400..500),
    ),
    status(
        "server-error?",
        "True for an answer of 500 to 599.",
        |_, a| within(a, 500..600),
    ),
    status("missing?", "True for an answer of 404.", |_, a| {
        within(a, 404..405)
    }),
    status("conflict?", "True for an answer of 409.", |_, a| {
        within(a, 409..410)
    }),
    Native {
        name: "unexceptional-status?",
        arglists: "([status])",
        doc: "True for a status for which nothing is thrown.",
        arity: (1, Some(1)),
        code: |_, args| {
            let status = args[0].as_i64().and_then(|it| u16::try_from(it).ok());
            Ok(status
                .is_some_and(|status| super::http::USUAL.contains(&status))
                .into())
        },
    },
    Native {
        name: "generate-query-string",
        arglists: "([params] [params content-type])",
        doc: "Parameters as the query of a URL.",
        arity: (1, Some(2)),
        code: |_, args| Ok(super::http::form(&super::http::parameters(&args[0])?).into()),
    },
    Native {
        name: "json-encode",
        arglists: "([x])",
        doc: "A value as JSON.",
        arity: (1, Some(1)),
        code: |_, args| Ok(clj::json::to_json(&args[0]).into()),
    },
    Native {
        name: "parse-url",
        arglists: "([url])",
        doc: "The parts of a URL: :scheme, :server-name, :server-port, :uri and :query-string.",
        arity: (1, Some(1)),
        code: parse_url,
    },
];

/// Macros that only evaluate their body: connections are kept for all, and there is no middleware.
pub const MACROS: &[Native] = &[
    body("with-connection-pool", "([opts & body])"),
    body("with-middleware", "([middleware & body])"),
    body("with-additional-middleware", "([middleware & body])"),
];

const fn status(name: &'static str, doc: &'static str, code: clj::NativeFn) -> Native {
    Native {
        name,
        arglists: "([response])",
        doc,
        arity: (1, Some(1)),
        code,
    }
}

const fn body(name: &'static str, arglists: &'static str) -> Native {
    Native {
        name,
        arglists,
        doc: "Evaluates the body; connections are kept anyway.",
        arity: (3, None),
        code: |_, args| Ok(form::special("do", args[3..].iter().cloned())),
    }
}

fn within(args: &[Value], wanted: std::ops::Range<i64>) -> Result {
    let status = seq::get(&args[0], &Value::keyword("status")).and_then(|it| it.as_i64());
    Ok(status.is_some_and(|status| wanted.contains(&status)).into())
}

fn parse_url(cx: &Cx<'_>, args: &[Value]) -> Result {
    let url = clj::java::construct(cx, "java.net.URL", &args[..1])?;
    let part = |method: &str| clj::java::method(cx, &url, method, &[]);
    let port = part("getPort")?;
    let parts: Map = [
        ("scheme", Value::keyword(&part("getProtocol")?.to_text())),
        ("server-name", part("getHost")?),
        (
            "server-port",
            if port == Value::Int(-1) {
                Value::Nil
            } else {
                port
            },
        ),
        ("uri", part("getPath")?),
        ("user-info", part("getUserInfo")?),
        ("query-string", part("getQuery")?),
    ]
    .into_iter()
    .map(|(name, value)| (Value::keyword(name), value))
    .collect();
    Ok(Value::Map(parts))
}
