//! `riemann.telegram`: messages to a chat, by a bot.

use clj::{Cx, Native, Result, Value};
use sinks::telegram::{Markup, Message, Telegram};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "telegram";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends a message for each event to a chat. Options: :token (of the bot), \
          :chat_id, :parse_mode \"markdown\" (or \"html\"), :message_formatter, a function of an \
          event that gives the message.",
    arity: (1, Some(1)),
    code: telegram,
}];

fn telegram(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let markup = if options
        .text_or("parse_mode", "markdown")
        .eq_ignore_ascii_case("html")
    {
        Markup::Html
    } else {
        Markup::Markdown
    };
    let (token, chat) = (options.required("token")?, options.required("chat_id")?);
    let arguments = [
        token.as_str().into(),
        chat.as_str().into(),
        Value::from(markup == Markup::Html),
    ];
    let telegram = Telegram {
        markup,
        ..Telegram::new(token, chat)
    };
    let outlet = cx.get::<Outlets>()?.http(NAME, &arguments, telegram)?;
    let formatter = options
        .get("message_formatter")
        .or_else(|| options.get("formatter"));
    let Some(formatter) = formatter else {
        let item = move |event: &event::Event| Some(Message::new(event, markup));
        return Ok(sink::of_events(NAME, &outlet, item));
    };
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_event(value, |value, _| {
            outlet.offer(Message(text(
                &cx.call(&formatter, std::slice::from_ref(value))?,
            )));
            Ok(())
        })
    }))
}
