//! `riemann.slack`: messages to Slack, and to what understands its webhooks.

use clj::{Cx, Native, Result, Thrown, Value};
use sinks::slack::{Message, Slack, escape, webhook};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::{json, sink};

const NAME: &str = "slack";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([account message] [account message http] [account-name token username channel])",
        doc: "A stream that posts one event, or several in one message, to Slack. Account: \
              :webhook_uri, or :account and :token. Message: :username, :channel, :icon \
              \":warning:\", :formatter, a function of what the stream is given (one event or a \
              vector) that gives a map of :text, :attachments, and its own :username, :channel \
              and :icon (default-formatter). HTTP options are not used.",
        arity: (2, Some(4)),
        code: slack,
    },
    Native {
        name: "slack-escape",
        arglists: "([text])",
        doc: "The text with & < > as Slack wants them written.",
        arity: (1, Some(1)),
        code: |_, args| Ok(escape(&text(&args[0])).into()),
    },
    Native {
        name: "default-formatter",
        arglists: "([events])",
        doc: "A message of an attachment an event, all fields in one.",
        arity: (1, Some(1)),
        code: |_, args| message(&Message::simple(&sink::events(&args[0])?)),
    },
    Native {
        name: "extended-formatter",
        arglists: "([events])",
        doc: "A message of an attachment an event, coloured by state, with a field for each of \
              the event's.",
        arity: (1, Some(1)),
        code: |_, args| message(&Message::extended(&sink::events(&args[0])?)),
    },
];

fn message(message: &Message) -> Result {
    Ok(json::to_value(&serde_json::Value::Object(
        message.0.clone(),
    )))
}

fn slack(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (webhook, options) = match args {
        [account, token, username, channel] => {
            let words = [("username", username), ("channel", channel)];
            let words = words.map(|(name, value)| (Value::keyword(name), value.clone()));
            (webhook(&text(account), &text(token)), Value::map(words))
        }
        _ => (
            account_webhook(&Options::read(NAME, &args[0])?)?,
            args[1].clone(),
        ),
    };
    let options = Options::read(NAME, &options)?;
    let slack = Slack {
        webhook,
        username: options.text("username"),
        channel: options.text("channel"),
        icon: Some(options.text_or("icon", ":warning:")),
    };
    let arguments = [
        &slack.webhook,
        slack.icon.as_ref().unwrap_or(&slack.webhook),
    ];
    let arguments = arguments.map(Value::str);
    let who = [slack.username.clone().into(), slack.channel.clone().into()];
    let label = match &slack.channel {
        Some(channel) => format!("{NAME} {channel}"),
        None => NAME.to_owned(),
    };
    let outlet = cx
        .get::<Outlets>()?
        .http(&label, &[arguments, who].concat(), slack)?;
    let formatter = options.get("formatter");
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        let message = match &formatter {
            Some(formatter) => {
                let said = cx.call(formatter, std::slice::from_ref(value))?;
                Message(json::object("slack: :formatter", &said)?)
            }
            None => Message::simple(&sink::events(value)?),
        };
        outlet.offer(message);
        Ok(())
    }))
}

fn account_webhook(account: &Options) -> Result<String> {
    if let Some(uri) = account.text("webhook_uri") {
        return Ok(uri);
    }
    if account.has("webhook_uri") {
        return account.required("webhook_uri");
    }
    if !account.has("account") && !account.has("token") {
        let message = "slack: the option :webhook_uri is missing (or :account and :token)";
        return Err(Thrown::illegal_argument(message));
    }
    Ok(webhook(
        &account.required("account")?,
        &account.required("token")?,
    ))
}
