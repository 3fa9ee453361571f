//! The reader: text to forms, with the place of each list and symbol.

mod dispatch;
mod number;
mod syntax_quote;
mod tagged;
mod text;
mod token;

use std::cell::Cell;
use std::sync::Arc;

use crate::list::Cells;
use crate::{Cx, List, Map, Result, Set, Span, Symbol, Thrown, Value, deep};
use syntax_quote::Gensyms;

/// Forms within forms that are read.
const DEPTH_MAX: usize = 10_000;

/// Reads forms from a text, one by one.
pub struct Reader<'a> {
    cx: Cx<'a>,
    file: Arc<str>,
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Openers not closed yet, innermost last.
    open: Vec<Open>,
    lambda: Option<dispatch::Parameters>,
    /// Where the form being read begins: offset and line.
    top: (usize, u32),
    depth: usize,
    /// One a nested syntax-quote.
    gensyms: Vec<Gensyms>,
    /// What could not be read and was passed over; `None` where the first such thing is the last.
    passed_over: Option<Vec<Thrown>>,
    /// Nobody knows any more which delimiter closes which.
    lost: Cell<bool>,
}

struct Open {
    opener: &'static str,
    closer: char,
    span: Span,
}

/// What stands at one place of the text.
enum Item {
    Form(Value),
    /// Several forms, from `#?@`.
    Splice(Vec<Value>),
    /// A comment, a discarded form, a conditional for others.
    Nothing,
    Close(char, Span),
    End,
}

impl<'a> Reader<'a> {
    /// A reader that resolves `::names` and syntax-quoted symbols in the current namespace.
    pub fn new(cx: &Cx<'a>, file: Arc<str>, text: &'a str) -> Reader<'a> {
        Reader {
            cx: *cx,
            file,
            text,
            at: 0,
            line: 1,
            line_start: 0,
            open: Vec::new(),
            lambda: None,
            top: (0, 1),
            depth: 0,
            gensyms: Vec::new(),
            passed_over: None,
            lost: Cell::new(false),
        }
    }

    /// Reads nil for what cannot be read, as far as delimiters allow, and keeps the errors for
    /// [`Reader::take_errors`].
    #[must_use]
    pub fn passing_over_errors(mut self) -> Reader<'a> {
        self.passed_over = Some(Vec::new());
        self
    }

    /// How far the text has been read, in bytes.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// What could not be read since the last look.
    pub fn take_errors(&mut self) -> Vec<Thrown> {
        self.passed_over
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Counts lines from `line`: the text is a piece of a larger one.
    #[must_use]
    pub fn from_line(mut self, line: u32) -> Reader<'a> {
        self.line = line;
        self
    }

    /// The next form, or `None` at the end of the text.
    ///
    /// # Errors
    /// What cannot be read, with its place.
    pub fn read(&mut self) -> Result<Option<Value>> {
        loop {
            self.skip_blank();
            self.top = (self.at, self.line);
            match self.item()? {
                Item::Form(form) => return Ok(Some(form)),
                Item::Nothing => {}
                Item::End => return Ok(None),
                Item::Splice(_) => {
                    return Err(
                        self.error("Reader conditional splicing not allowed at the top level.")
                    );
                }
                Item::Close(closer, span) => return Err(self.unmatched(closer, span)),
            }
        }
    }

    /// After an error: goes on at the next line after the start of the form that begins with an
    /// opening parenthesis.
    pub fn recover(&mut self) {
        self.open.clear();
        self.lambda = None;
        self.gensyms.clear();
        self.lost.set(false);
        (self.at, self.line) = self.top;
        while let Some(end) = self.text[self.at..].find('\n') {
            self.advance(end + 1);
            if self.peek() == Some('(') {
                return;
            }
        }
        self.advance(self.text.len() - self.at);
    }

    /// The text from where the form being read begins.
    pub fn since_top(&self) -> &str {
        &self.text[self.top.0..self.at]
    }

    /// How far the text has been read, in bytes.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The form that must follow: the one after a quote or a tag.
    fn form(&mut self) -> Result<Value> {
        loop {
            match self.item()? {
                Item::Form(form) => return Ok(form),
                Item::Splice(mut forms) if forms.len() == 1 => {
                    return Ok(forms.pop().unwrap_or_default());
                }
                Item::Nothing | Item::Splice(_) => {}
                Item::End => return Err(self.eof()),
                Item::Close(closer, span) => return Err(self.unmatched(closer, span)),
            }
        }
    }

    fn item(&mut self) -> Result<Item> {
        self.skip_blank();
        let span = self.span();
        let Some(char) = self.peek() else {
            return Ok(Item::End);
        };
        if self.depth == DEPTH_MAX {
            return Err(self.error("Forms are nested too deeply to be read"));
        }
        self.depth += 1;
        let start = self.at;
        let item = deep::with_stack(|| self.item_at(char, span));
        self.depth -= 1;
        match (item, &mut self.passed_over) {
            (Err(thrown), Some(errors))
                if !self.lost.get() && !is_end(&thrown) && self.at > start =>
            {
                errors.push(thrown);
                Ok(Item::Form(Value::Nil))
            }
            (item, _) => item,
        }
    }

    fn item_at(&mut self, char: char, span: Span) -> Result<Item> {
        Ok(match char {
            '(' => Item::Form(self.list(span)?),
            '[' => {
                self.advance(1);
                Item::Form(Value::vector(self.until("[", ']', span)?))
            }
            '{' => {
                self.advance(1);
                let entries = self.until("{", '}', span.clone())?;
                Item::Form(self.map_of(entries, span)?)
            }
            ')' | ']' | '}' => {
                self.advance(1);
                Item::Close(char, span)
            }
            '"' => Item::Form(Value::from(self.string()?)),
            '\\' => Item::Form(self.character()?),
            ';' => {
                self.skip_line();
                Item::Nothing
            }
            '\'' => Item::Form(self.wrapped("quote", span)?),
            '@' => Item::Form(self.wrapped("clojure.core/deref", span)?),
            '^' => {
                self.advance(1);
                Item::Form(self.with_meta(span)?)
            }
            '`' => {
                self.advance(1);
                Item::Form(self.syntax_quoted()?)
            }
            '~' => Item::Form(self.unquoted(span)?),
            '#' => self.dispatch(span)?,
            _ => Item::Form(self.token(span)?),
        })
    }

    fn list(&mut self, span: Span) -> Result {
        self.advance(1);
        let items = self.until("(", ')', span.clone())?;
        Ok(list_at(items, span))
    }

    /// The forms up to the closing delimiter of what was just opened.
    fn until(&mut self, opener: &'static str, closer: char, span: Span) -> Result<Vec<Value>> {
        self.open.push(Open {
            opener,
            closer,
            span,
        });
        let mut items = Vec::new();
        loop {
            match self.item()? {
                Item::Form(form) => items.push(form),
                Item::Splice(forms) => items.extend(forms),
                Item::Nothing => {}
                Item::End => return Err(self.eof()),
                Item::Close(found, _) if found == closer => {
                    self.open.pop();
                    return Ok(items);
                }
                Item::Close(found, span) => return Err(self.unmatched(found, span)),
            }
        }
    }

    fn map_of(&self, items: Vec<Value>, span: Span) -> Result {
        if items.len() % 2 == 1 {
            return Err(
                reader_error("Map literal must contain an even number of forms", span)
                    .with_hint("a key has no value"),
            );
        }
        let mut map = Map::default();
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            if map.contains_key(&key) {
                return Err(duplicate(&key, span));
            }
            map.insert(key, value);
        }
        Ok(Value::Map(map))
    }

    fn set_of(&self, items: Vec<Value>, span: Span) -> Result {
        let mut set = Set::default();
        for item in items {
            if set.contains(&item) {
                return Err(duplicate(&item, span));
            }
            set = set.conj(item);
        }
        Ok(Value::Set(set))
    }

    /// `'x` as `(quote x)`, `@x` as `(deref x)`.
    fn wrapped(&mut self, symbol: &str, span: Span) -> Result {
        self.advance(1);
        let form = self.form()?;
        let head = Symbol::parse(symbol).with_span(span.clone());
        Ok(list_at(vec![Value::Symbol(head), form], span))
    }

    /// The form after `^`, with the metadata before it.
    fn with_meta(&mut self, span: Span) -> Result {
        let mut meta = match self.form()? {
            Value::Map(map) => map,
            tag @ (Value::Symbol(_) | Value::Str(_)) => {
                [(Value::keyword("tag"), tag)].into_iter().collect()
            }
            key @ Value::Keyword(_) => [(key, Value::Bool(true))].into_iter().collect(),
            _ => {
                return Err(reader_error(
                    "Metadata must be Symbol,Keyword,String or Map",
                    span,
                ));
            }
        };
        let form = self.form()?;
        if let Some(older) = meta_of(&form) {
            for (key, value) in older.iter() {
                if !meta.contains_key(key) {
                    meta.insert(key.clone(), value.clone());
                }
            }
        }
        set_meta(form, meta)
            .ok_or_else(|| reader_error("Metadata can only be applied to IMetas", span))
    }

    fn skip_blank(&mut self) {
        while let Some(char) = self.peek() {
            if !(char == ',' || char.is_whitespace() || char == '\u{feff}') {
                break;
            }
            self.advance(char.len_utf8());
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.advance(rest.find('\n').unwrap_or(rest.len()));
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn advance(&mut self, bytes: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + bytes];
        for (index, byte) in passed.iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at + index + 1;
            }
        }
        self.at += bytes;
    }

    fn span(&self) -> Span {
        let before = &self.text[self.line_start..self.at];
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX - 1) + 1;
        Span {
            file: self.file.clone(),
            line: self.line,
            column,
        }
    }

    fn error(&self, message: impl Into<String>) -> Thrown {
        reader_error(message, self.span())
    }

    fn eof(&self) -> Thrown {
        self.lost.set(true);
        match self.open.last() {
            Some(open) => {
                let (line, column) = (open.span.line, open.span.column);
                reader_error(
                    format!("EOF while reading, starting at line {line}"),
                    open.span.clone(),
                )
                .with_hint(format!(
                    "the {} opened at line {line}, column {column} is never closed with {}{}",
                    open.opener,
                    open.closer,
                    self.where_it_may_end(line)
                ))
            }
            None => self.error("EOF while reading"),
        }
    }

    /// What begins in the first column below an opener is likely a form of its own.
    fn where_it_may_end(&self, opened_at: u32) -> String {
        let lines = self.text.lines().zip(1..).skip(opened_at as usize);
        match lines.into_iter().find(|(line, _)| line.starts_with('(')) {
            Some((_, next)) => {
                format!("; what begins at line {next} seems to stand outside it")
            }
            None => String::new(),
        }
    }

    fn unmatched(&self, closer: char, span: Span) -> Thrown {
        self.lost.set(true);
        let thrown = reader_error(format!("Unmatched delimiter: {closer}"), span);
        match self.open.last() {
            Some(open) => thrown.with_hint(format!(
                "{} closes the {} opened at line {}, column {}",
                open.closer, open.opener, open.span.line, open.span.column
            )),
            None => thrown.with_hint("nothing is open here"),
        }
    }
}

/// All forms of a text.
///
/// # Errors
/// What cannot be read, with its place.
pub fn read_all(cx: &Cx<'_>, file: &str, text: &str) -> Result<Vec<Value>> {
    let mut reader = Reader::new(cx, file.into(), text);
    let mut forms = Vec::new();
    while let Some(form) = reader.read()? {
        forms.push(form);
    }
    Ok(forms)
}

/// True if the text ended within something: nothing can be read after that.
fn is_end(thrown: &Thrown) -> bool {
    thrown
        .message()
        .is_some_and(|message| message.starts_with("EOF"))
}

fn reader_error(message: impl Into<String>, span: Span) -> Thrown {
    Thrown::runtime(message).at(span, None)
}

fn duplicate(item: &Value, span: Span) -> Thrown {
    Thrown::illegal_argument(format!("Duplicate key: {}", item.to_readable())).at(span, None)
}

fn list_at(items: Vec<Value>, span: Span) -> Value {
    let cells = Cells::Array {
        items: items.into(),
        from: 0,
    };
    Value::List(Arc::new(List {
        cells,
        meta: None,
        span: Some(span),
    }))
}

fn meta_of(form: &Value) -> Option<Map> {
    match form {
        Value::Symbol(symbol) => symbol.meta().cloned(),
        Value::List(list) => list.meta.clone(),
        Value::Vector(vector) => vector.meta().cloned(),
        Value::Map(map) => map.meta().cloned(),
        Value::Set(set) => set.meta().cloned(),
        _ => None,
    }
}

fn set_meta(form: Value, meta: Map) -> Option<Value> {
    Some(match form {
        Value::Symbol(symbol) => Value::Symbol(symbol.with_meta(Some(meta))),
        Value::List(list) => Value::List(Arc::new(List {
            cells: list.cells.clone(),
            meta: Some(meta),
            span: list.span.clone(),
        })),
        Value::Vector(vector) => Value::Vector(vector.with_meta(Some(meta))),
        Value::Map(map) => Value::Map(map.with_meta(Some(meta))),
        Value::Set(set) => Value::Set(set.with_meta(Some(meta))),
        _ => return None,
    })
}
