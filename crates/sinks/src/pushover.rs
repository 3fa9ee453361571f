//! Pushover: notices on a telephone.

use event::Event;

use crate::http::{Api, Request};
use crate::target::Item;
use crate::words;

pub const URL: &str = "https://api.pushover.net/1/messages.json";

#[derive(Clone, PartialEq, Eq)]
pub struct Pushover {
    pub url: String,
    pub token: String,
    pub user: String,
}

impl Pushover {
    pub fn new(token: impl Into<String>, user: impl Into<String>) -> Pushover {
        Pushover {
            url: URL.into(),
            token: token.into(),
            user: user.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub title: String,
    pub message: String,
}

impl Item for Notice {
    fn size_bytes(&self) -> usize {
        self.title.len() + self.message.len()
    }
}

impl Notice {
    pub fn new(event: &Event) -> Notice {
        let [host, service] = ["host", "service"].map(|name| words::field(event, name));
        Notice {
            title: format!("{host} {service}"),
            message: words::headline(event),
        }
    }
}

impl Api for Pushover {
    type Item = Notice;

    fn requests(&self, batch: &[Notice]) -> Vec<Request> {
        let form = |notice: &Notice| {
            Request::post(&self.url).form(&[
                ("token", &self.token),
                ("user", &self.user),
                ("title", &notice.title),
                ("message", &notice.message),
            ])
        };
        batch.iter().map(form).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_a_form() {
        check(
            &Pushover::new("T", "U").requests(&[Notice::new(&event())]),
            &format!(
                "POST {URL}\nContent-Type: application/x-www-form-urlencoded\n\n\
                 token=T&user=U&title=www1+api+rate&\
                 message=www1+api+rate+is+critical+%282.5%29"
            ),
        );
    }
}
