//! Amazon SNS: messages to topics.

use jiff::Timestamp;

use crate::aws::{Signer, sign};
use crate::http::{Api, Request};
use crate::target::Item;

pub const REGION: &str = "us-east-1";
/// Subjects are cut to this.
pub const SUBJECT_BYTES: usize = 100;
/// Messages are cut to this.
pub const BODY_BYTES: usize = 8092;

/// SNS in a region. The time, for signatures, is handed in.
pub struct Sns {
    pub url: String,
    pub signer: Signer,
    pub now: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Sns {
    pub fn new(
        region: &str,
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Sns {
        let signer = Signer {
            access_key: access_key.into(),
            secret_key: secret_key.into(),
            region: region.into(),
            service: "sns",
        };
        let url = format!("https://sns.{region}.amazonaws.com/");
        Sns { url, signer, now }
    }
}

/// One message to one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    topic: String,
    subject: String,
    body: String,
}

impl Item for Message {
    fn size_bytes(&self) -> usize {
        self.topic.len() + self.subject.len() + self.body.len()
    }
}

impl Message {
    /// Subject and body are cut to what Riemann sends; a subject is one line.
    pub fn new(topic: &str, subject: &str, body: &str) -> Message {
        let cut = |text: &str, bytes: usize| text[..text.floor_char_boundary(bytes)].to_owned();
        Message {
            topic: topic.into(),
            subject: cut(&subject.replace(['\r', '\n'], " "), SUBJECT_BYTES),
            body: cut(body, BODY_BYTES),
        }
    }

    fn form(&self) -> Vec<(&str, &str)> {
        let mut form = vec![
            ("Action", "Publish"),
            ("Version", "2010-03-31"),
            ("TopicArn", self.topic.as_str()),
            ("Message", &self.body),
        ];
        if !self.subject.is_empty() {
            form.push(("Subject", &self.subject));
        }
        form
    }
}

/// The region in `arn:aws:sns:eu-west-1:123456789012:topic`.
pub fn region(topic: &str) -> Option<&str> {
    topic.split(':').nth(3).filter(|region| !region.is_empty())
}

impl Api for Sns {
    type Item = Message;

    fn requests(&self, batch: &[Message]) -> Vec<Request> {
        let publish = |message: &Message| {
            let request = Request::post(&self.url).form(&message.form());
            sign(request, &self.signer, (self.now)())
        };
        batch.iter().map(publish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::text;

    #[test]
    fn posts_a_signed_form() {
        let now = || "2017-07-14T02:40:01Z".parse().unwrap();
        let sns = Sns::new("eu-west-1", "ID", "SECRET", Box::new(now));
        let topic = "arn:aws:sns:eu-west-1:1:t";
        let requests = sns.requests(&[Message::new(topic, "a\nb", &"ü".repeat(5000))]);
        let text = text(&requests[0]);
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(
            head.starts_with(
                "POST https://sns.eu-west-1.amazonaws.com/\n\
                 Content-Type: application/x-www-form-urlencoded\n\
                 X-Amz-Date: 20170714T024001Z\n\
                 Authorization: AWS4-HMAC-SHA256 \
                 Credential=ID/20170714/eu-west-1/sns/aws4_request, "
            ),
            "{head}"
        );
        assert_eq!(
            body,
            format!(
                "Action=Publish&Version=2010-03-31&TopicArn=arn%3Aaws%3Asns%3Aeu-west-1%3A1%3At&\
                 Message={}&Subject=a+b",
                "%C3%BC".repeat(BODY_BYTES / 2)
            )
        );
        assert_eq!(region(topic), Some("eu-west-1"));
        assert_eq!(region("topic"), None);
    }
}
