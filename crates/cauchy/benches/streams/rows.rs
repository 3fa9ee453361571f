//! What is compared with what.

use std::fmt::Write;

use crate::load::Shape;

/// A configuration, and one that it is compared with.
pub struct Row {
    pub name: &'static str,
    pub config: fn() -> String,
    pub shape: Shape,
    pub rival: fn() -> String,
    pub rival_shape: Shape,
}

pub const ROWS: &[Row] = &[
    Row {
        name: "built-in; no ttl in the events against ttl",
        config: || built_in(""),
        shape: Shape::WithoutTtl,
        rival: || built_in(""),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "built-in and with against built-in",
        config: || built_in("(with :state \"ok\" (rate 5))"),
        shape: Shape::Usual,
        rival: || built_in("(rate 5)"),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "24 wheres on service and state against none",
        config: || built_in(&wheres_24()),
        shape: Shape::Usual,
        rival: || built_in(""),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "500 wheres on service against none",
        config: || built_in(&wheres_500()),
        shape: Shape::Usual,
        rival: || built_in(""),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "500 wheres on service, no ttl, against none",
        config: || built_in(&wheres_500()),
        shape: Shape::WithoutTtl,
        rival: || built_in(""),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "histogram against rate",
        config: || streams("(by [:host :service] (histogram 5))"),
        shape: Shape::Usual,
        rival: || streams("(by [:host :service] (rate 5))"),
        rival_shape: Shape::Usual,
    },
    Row {
        name: "smap of a lambda with assoc, index, against index",
        config: || streams("(smap (fn [e] (assoc e :state \"seen\")) index)"),
        shape: Shape::Usual,
        rival: || streams("index"),
        rival_shape: Shape::Usual,
    },
];

pub const HARD_CASE: &str = "hard case: 30 wheres, index, rate, by percentiles";

/// What two workers share.
pub const WORKERS: &str = "
(let [index (index)]
  (streams
    (default :ttl 60 index
      (where (state \"warning\") (rate 5))
      (rate 5)
      (by [:host :service] (rate 5)))))";

pub fn hard_case() -> String {
    let mut wheres = String::new();
    for number in 0..30 {
        let _ = writeln!(
            wheres,
            "(where (and (service \"disk {number:02} used\") (> metric 100)) (rate 5))"
        );
    }
    streams(&format!(
        "{wheres} index (rate 5 index)
         (by [:host :service] (percentiles 5 [0.5 0.95 0.99] index))"
    ))
}

fn streams(text: &str) -> String {
    format!("(let [index (index)] (streams {text}))")
}

/// The built-in configuration without its servers, and something beside it.
fn built_in(beside: &str) -> String {
    format!(
        "(periodically-expire 5)
         (let [index (index)]
           (streams
             (default :ttl 60
               index
               {beside}
               (expired
                 (fn [event] (info \"expired\" event))))))"
    )
}

fn wheres_24() -> String {
    let mut text = String::new();
    for number in 0..12 {
        let service = number * 8;
        let _ = writeln!(
            text,
            "(where (service \"disk {service:02} used\") (rate 5))"
        );
        let _ = writeln!(
            text,
            "(where (and (service #\"^disk {number}\") (state \"critical\")) (rate 5))"
        );
    }
    text
}

fn wheres_500() -> String {
    let mut text = String::new();
    for number in 0..125 {
        let _ = writeln!(text, "(where (service \"api {number} rate\") (rate 5))");
        let _ = writeln!(text, "(where (service #\"^web{number} \") (rate 5))");
        let _ = writeln!(
            text,
            "(where (service #{{\"queue {number} in\" \"queue {number} out\"}}) (rate 5))"
        );
        let disk = if number < 20 { "disk" } else { "disc" };
        let _ = writeln!(
            text,
            "(where (service \"{disk} {number:02} used\" \"job {number}\") (rate 5))"
        );
    }
    text
}
