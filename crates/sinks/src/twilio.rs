//! Twilio: short messages.

use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;

pub const URL: &str = "https://api.twilio.com/2010-04-01";

#[derive(Clone, PartialEq, Eq)]
pub struct Twilio {
    pub url: String,
    pub account: String,
    pub service_key: String,
}

impl Twilio {
    pub fn new(account: impl Into<String>, service_key: impl Into<String>) -> Twilio {
        Twilio {
            url: URL.into(),
            account: account.into(),
            service_key: service_key.into(),
        }
    }
}

/// One message to one number. For several recipients, offer several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sms {
    pub from: String,
    pub to: String,
    pub body: String,
}

impl Item for Sms {
    fn size_bytes(&self) -> usize {
        self.from.len() + self.to.len() + self.body.len()
    }
}

impl Api for Twilio {
    type Item = Sms;

    fn requests(&self, batch: &[Sms]) -> Vec<Request> {
        let url = format!(
            "{}/Accounts/{}/Messages.json",
            self.url,
            component(&self.account)
        );
        let form = |sms: &Sms| {
            Request::post(&url)
                .basic_auth(&self.account, &self.service_key)
                .form(&[("From", &sms.from), ("To", &sms.to), ("Body", &sms.body)])
        };
        batch.iter().map(form).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::check;

    #[test]
    fn posts_a_form() {
        let sms = Sms {
            from: "+15005550006".into(),
            to: "+1 2".into(),
            body: "a\nb".into(),
        };
        check(
            &Twilio::new("AC1", "key").requests(&[sms]),
            &format!(
                "POST {URL}/Accounts/AC1/Messages.json\nAuthorization: Basic QUMxOmtleQ==\n\
                 Content-Type: application/x-www-form-urlencoded\n\n\
                 From=%2B15005550006&To=%2B1+2&Body=a%0Ab"
            ),
        );
    }
}
