//! The files of the page, embedded as they are.

use std::borrow::Cow;

use crate::Answer;

/// An embedded file.
pub(crate) struct Asset {
    /// As in the URL: `/assets/main.js`.
    path: &'static str,
    content_type: &'static str,
    body: &'static [u8],
    /// Changes whenever the body does.
    etag: String,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

const FILES: [(&str, &str, &[u8]); 18] = [
    ("/", HTML, include_bytes!("../assets/index.html")),
    (
        "/assets/style.css",
        CSS,
        include_bytes!("../assets/style.css"),
    ),
    (
        "/assets/icon.svg",
        SVG,
        include_bytes!("../assets/icon.svg"),
    ),
    (
        "/assets/address.js",
        JS,
        include_bytes!("../assets/address.js"),
    ),
    ("/assets/feed.js", JS, include_bytes!("../assets/feed.js")),
    (
        "/assets/format.js",
        JS,
        include_bytes!("../assets/format.js"),
    ),
    (
        "/assets/header.js",
        JS,
        include_bytes!("../assets/header.js"),
    ),
    ("/assets/main.js", JS, include_bytes!("../assets/main.js")),
    ("/assets/order.js", JS, include_bytes!("../assets/order.js")),
    ("/assets/pane.js", JS, include_bytes!("../assets/pane.js")),
    ("/assets/past.js", JS, include_bytes!("../assets/past.js")),
    ("/assets/query.js", JS, include_bytes!("../assets/query.js")),
    ("/assets/rows.js", JS, include_bytes!("../assets/rows.js")),
    (
        "/assets/server.js",
        JS,
        include_bytes!("../assets/server.js"),
    ),
    (
        "/assets/sparkline.js",
        JS,
        include_bytes!("../assets/sparkline.js"),
    ),
    ("/assets/state.js", JS, include_bytes!("../assets/state.js")),
    (
        "/assets/summary.js",
        JS,
        include_bytes!("../assets/summary.js"),
    ),
    ("/assets/table.js", JS, include_bytes!("../assets/table.js")),
];

/// All embedded files, the page itself first.
pub(crate) fn all() -> Vec<Asset> {
    FILES
        .into_iter()
        .map(|(path, content_type, body)| Asset {
            path,
            content_type,
            body,
            etag: etag(body),
        })
        .collect()
}

impl Asset {
    pub(crate) fn path(&self) -> &'static str {
        self.path
    }

    /// The file, or 304 if the browser has it. A browser asks each time, because the names stay
    /// when a newer server brings newer files.
    pub(crate) fn answer(&self, if_none_match: Option<&str>) -> Answer {
        let has = if_none_match.is_some_and(|tags| {
            tags.split(',')
                .map(str::trim)
                .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.etag)
        });
        let (status, body): (u16, &[u8]) = if has { (304, b"") } else { (200, self.body) };
        Answer::new(status, self.content_type, Cow::Borrowed(body))
            .with("cache-control", "no-cache")
            .with("etag", &self.etag)
    }
}

/// FNV-1a of the content, quoted.
fn etag(body: &[u8]) -> String {
    let hash = body.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("\"{hash:016x}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that a text of the page names: `"assets/main.js"`, `from "./feed.js"`.
    fn named_files(body: &str) -> Vec<String> {
        body.split('"')
            .filter_map(|quoted| quoted.strip_prefix("assets/").or(quoted.strip_prefix("./")))
            .map(|file| format!("/assets/{file}"))
            .collect()
    }

    #[test]
    fn every_file_that_is_named_is_there_and_the_reverse() {
        let assets = all();
        let mut named: Vec<String> = assets
            .iter()
            .flat_map(|asset| named_files(std::str::from_utf8(asset.body).unwrap()))
            .collect();
        named.push("/".into());
        named.sort();
        named.dedup();
        let mut there: Vec<&str> = assets.iter().map(Asset::path).collect();
        there.sort_unstable();
        assert_eq!(named, there);
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere_and_no_markup_is_made_of_data() {
        for asset in all() {
            let body = std::str::from_utf8(asset.body).unwrap();
            let namespace = "http://www.w3.org/2000/svg";
            let body = body.replace(namespace, "");
            for banned in [
                "http://",
                "https://",
                "innerHTML",
                "insertAdjacentHTML",
                "eval(",
            ] {
                assert!(!body.contains(banned), "{} has {banned}", asset.path);
            }
        }
    }
}
