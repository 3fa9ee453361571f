//! Shinken's web service for passive checks.

use event::{Event, Fields};

use crate::http::{Api, Request};
use crate::nagios::code;
use crate::target::Item;
use crate::words;

pub const PORT: u16 = 7760;

#[derive(Clone, PartialEq, Eq)]
pub struct Shinken {
    /// Scheme, host and port.
    pub url: String,
    pub username: String,
    pub password: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub time_s: i64,
    pub host: String,
    pub service: String,
    /// 0 ok, 1 warning, 2 critical, 3 unknown.
    pub code: u8,
    pub output: String,
}

impl Item for Check {
    fn size_bytes(&self) -> usize {
        size_of::<Check>() + self.host.len() + self.service.len() + self.output.len()
    }
}

impl Check {
    /// The output is the metric; `None` if the event has no time.
    pub fn new(event: &Event) -> Option<Check> {
        let [host, service, state, output] =
            ["host", "service", "state", "metric"].map(|name| words::field(event, name));
        Some(Check {
            time_s: event.time()?.floor_s(),
            host,
            service,
            code: code(&state),
            output,
        })
    }
}

impl Api for Shinken {
    type Item = Check;

    fn requests(&self, batch: &[Check]) -> Vec<Request> {
        let url = format!("{}/push_check_result", self.url);
        let form = |check: &Check| {
            Request::post(&url)
                .basic_auth(&self.username, &self.password)
                .form(&[
                    ("time_stamp", &check.time_s.to_string()),
                    ("host_name", &check.host),
                    ("service_description", &check.service),
                    ("return_code", &check.code.to_string()),
                    ("output", &check.output),
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
        let shinken = Shinken {
            url: "http://h:7760".into(),
            username: "admin".into(),
            password: "admin".into(),
        };
        check(
            &shinken.requests(&[Check::new(&event()).unwrap()]),
            "POST http://h:7760/push_check_result\nAuthorization: Basic YWRtaW46YWRtaW4=\n\
             Content-Type: application/x-www-form-urlencoded\n\n\
             time_stamp=1500000000&host_name=www1&service_description=api+rate&return_code=2&\
             output=2.5",
        );
    }
}
