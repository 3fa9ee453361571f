//! Mailgun: mail by HTTP.

use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;

pub const URL: &str = "https://api.mailgun.net/v2";

#[derive(Clone, PartialEq, Eq)]
pub struct Mailgun {
    pub url: String,
    /// The sending domain.
    pub sandbox: String,
    pub service_key: String,
}

impl Mailgun {
    pub fn new(sandbox: impl Into<String>, service_key: impl Into<String>) -> Mailgun {
        Mailgun {
            url: URL.into(),
            sandbox: sandbox.into(),
            service_key: service_key.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub from: String,
    pub to: Vec<String>,
    pub subject: String,
    pub text: String,
}

impl Item for Letter {
    fn size_bytes(&self) -> usize {
        let to: usize = self.to.iter().map(String::len).sum();
        self.from.len() + to + self.subject.len() + self.text.len()
    }
}

impl Api for Mailgun {
    type Item = Letter;

    fn requests(&self, batch: &[Letter]) -> Vec<Request> {
        batch.iter().map(|letter| self.request(letter)).collect()
    }
}

impl Mailgun {
    fn request(&self, letter: &Letter) -> Request {
        let mut form = vec![("from", letter.from.as_str())];
        form.extend(letter.to.iter().map(|to| ("to", to.as_str())));
        form.extend([
            ("subject", letter.subject.as_str()),
            ("text", letter.text.as_str()),
        ]);
        Request::post(format!(
            "{}/{}/messages",
            self.url,
            component(&self.sandbox)
        ))
        .basic_auth("api", &self.service_key)
        .form(&form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::check;

    #[test]
    fn posts_a_form() {
        let letter = Letter {
            from: "riemann@h".into(),
            to: vec!["a@b".into(), "c@d".into()],
            subject: "s t".into(),
            text: "body".into(),
        };
        check(
            &Mailgun::new("box.org", "key").requests(&[letter]),
            &format!(
                "POST {URL}/box.org/messages\nAuthorization: Basic YXBpOmtleQ==\n\
                 Content-Type: application/x-www-form-urlencoded\n\n\
                 from=riemann%40h&to=a%40b&to=c%40d&subject=s+t&text=body"
            ),
        );
    }
}
