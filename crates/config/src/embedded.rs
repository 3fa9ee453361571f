//! Sources of the `riemann.*` namespaces that are written in the language.

/// Path of a namespace, and its source.
pub const SOURCES: &[(&str, &str)] = &[
    (
        "riemann/blueflood",
        include_str!("clj/riemann/blueflood.clj"),
    ),
    ("riemann/codec", include_str!("clj/riemann/codec.clj")),
    ("riemann/client", include_str!("clj/riemann/client.clj")),
    ("riemann/common", include_str!("clj/riemann/common.clj")),
    ("riemann/config", include_str!("clj/riemann/config.clj")),
    ("riemann/core", include_str!("clj/riemann/core.clj")),
    ("riemann/email", include_str!("clj/riemann/email.clj")),
    ("riemann/index", include_str!("clj/riemann/index.clj")),
    (
        "riemann/instrumentation",
        include_str!("clj/riemann/instrumentation.clj"),
    ),
    ("riemann/kafka", include_str!("clj/riemann/kafka.clj")),
    ("riemann/logging", include_str!("clj/riemann/logging.clj")),
    ("riemann/pipeline", include_str!("clj/riemann/pipeline.clj")),
    ("riemann/plugin", include_str!("clj/riemann/plugin.clj")),
    ("riemann/pubsub", include_str!("clj/riemann/pubsub.clj")),
    ("riemann/query", include_str!("clj/riemann/query.clj")),
    ("riemann/repl", include_str!("clj/riemann/repl.clj")),
    ("riemann/service", include_str!("clj/riemann/service.clj")),
    ("riemann/test", include_str!("clj/riemann/test.clj")),
    ("riemann/time", include_str!("clj/riemann/time.clj")),
    (
        "riemann/time/controlled",
        include_str!("clj/riemann/time/controlled.clj"),
    ),
    (
        "riemann/transport/graphite",
        include_str!("clj/riemann/transport/graphite.clj"),
    ),
    (
        "riemann/transport/opentsdb",
        include_str!("clj/riemann/transport/opentsdb.clj"),
    ),
    (
        "riemann/transport/rabbitmq",
        include_str!("clj/riemann/transport/rabbitmq.clj"),
    ),
    (
        "riemann/transport/sse",
        include_str!("clj/riemann/transport/sse.clj"),
    ),
    (
        "riemann/transport/tcp",
        include_str!("clj/riemann/transport/tcp.clj"),
    ),
    (
        "riemann/transport/udp",
        include_str!("clj/riemann/transport/udp.clj"),
    ),
    (
        "riemann/transport/websockets",
        include_str!("clj/riemann/transport/websockets.clj"),
    ),
    ("riemann/deps", include_str!("clj/riemann/deps.clj")),
    (
        "riemann/expiration",
        include_str!("clj/riemann/expiration.clj"),
    ),
    ("riemann/pool", include_str!("clj/riemann/pool.clj")),
    (
        "interval_metrics/core",
        include_str!("clj/interval_metrics/core.clj"),
    ),
    (
        "clojure/math/numeric_tower",
        include_str!("clj/clojure/math/numeric_tower.clj"),
    ),
    (
        "slingshot/slingshot",
        include_str!("clj/slingshot/slingshot.clj"),
    ),
];
