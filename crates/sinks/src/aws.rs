//! Amazon's signature, version 4, of a request.

use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use ring::hmac;

use crate::http::Request;

/// Whose signature, and for which service in which region.
#[derive(Clone, PartialEq, Eq)]
pub struct Signer {
    pub access_key: String,
    pub secret_key: String,
    pub region: String,
    pub service: &'static str,
}

/// Adds `X-Amz-Date` and `Authorization`. The signature holds for fifteen minutes. The query of the
/// URL must be sorted by name and encoded.
pub fn sign(request: Request, signer: &Signer, now: Timestamp) -> Request {
    let date_time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let date = &date_time[..8];
    let (host, path, query) = split(&request.url);
    let mut headers: Vec<(String, String)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), value.clone()))
        .collect();
    headers.push(("host".into(), host.into()));
    headers.push(("x-amz-date".into(), date_time.clone()));
    headers.sort();
    let canonical: String = headers
        .iter()
        .map(|(name, value)| format!("{name}:{}\n", value.trim()))
        .collect();
    let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let body = sha256(&request.body);
    let canonical = format!(
        "{}\n{path}\n{query}\n{canonical}\n{names}\n{body}",
        request.method
    );
    let scope = format!("{date}/{}/{}/aws4_request", signer.region, signer.service);
    let canonical = sha256(canonical.as_bytes());
    let to_sign = format!("AWS4-HMAC-SHA256\n{date_time}\n{scope}\n{canonical}");
    let key = format!("AWS4{}", signer.secret_key).into_bytes();
    let key = [date, &signer.region, signer.service, "aws4_request"]
        .iter()
        .fold(key, |key, part| hmac(&key, part));
    let signature = hex(&hmac(&key, &to_sign));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        signer.access_key
    );
    request
        .header("X-Amz-Date", date_time)
        .header("Authorization", authorization)
}

/// Host, path and query.
fn split(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    match rest.find('/') {
        Some(at) => (&rest[..at], &rest[at..], query),
        None => (rest, "/", query),
    }
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
        .as_ref()
        .to_vec()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Amazon's documentation.
    #[test]
    fn signs_the_example() {
        let signer = Signer {
            access_key: "AKIDEXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            region: "us-east-1".into(),
            service: "iam",
        };
        let request = Request {
            method: "GET",
            ..Request::post("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08")
        };
        let request = request.header(
            "Content-Type",
            "application/x-www-form-urlencoded; charset=utf-8",
        );
        let signed = sign(request, &signer, "2015-08-30T12:36:00Z".parse().unwrap());
        let (name, authorization) = signed.headers.last().unwrap();
        assert_eq!(*name, "Authorization");
        assert_eq!(
            authorization,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }
}
