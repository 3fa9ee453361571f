//! The words of the language, and sets of them.

use std::fmt;

/// A kind of token, in the order in which error messages list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    End,
    Match,
    Like,
    GreaterOrEqual,
    LessOrEqual,
    Greater,
    Less,
    NotEqual,
    Equal,
    Tagged,
    Close,
    Open,
    Or,
    And,
    Not,
    String,
    Float,
    Long,
    Big,
    Nil,
    True,
    False,
    Name,
    /// A hexadecimal number or a character: read, but allowed nowhere.
    Stray,
}

use Kind::*;

const ALL: [Kind; 24] = [
    End,
    Match,
    Like,
    GreaterOrEqual,
    LessOrEqual,
    Greater,
    Less,
    NotEqual,
    Equal,
    Tagged,
    Close,
    Open,
    Or,
    And,
    Not,
    String,
    Float,
    Long,
    Big,
    Nil,
    True,
    False,
    Name,
    Stray,
];

impl Kind {
    /// The keyword or sign that `text` is.
    pub fn of_word(text: &str) -> Option<Kind> {
        let sign = ALL.into_iter().find(|kind| {
            kind.name()
                .strip_prefix('\'')
                .is_some_and(|name| name.strip_suffix('\'') == Some(text))
        });
        sign.or(match text {
            "nil" | "null" => Some(Nil),
            "true" => Some(True),
            "false" => Some(False),
            "Infinity" | "-Infinity" | "NaN" | "-NaN" => Some(Float),
            _ => None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            End => "<EOF>",
            Match => "'~='",
            Like => "'=~'",
            GreaterOrEqual => "'>='",
            LessOrEqual => "'<='",
            Greater => "'>'",
            Less => "'<'",
            NotEqual => "'!='",
            Equal => "'='",
            Tagged => "'tagged'",
            Close => "')'",
            Open => "'('",
            Or => "'or'",
            And => "'and'",
            Not => "'not'",
            String => "STRING",
            Float => "FLOAT",
            Long => "LONG",
            Big => "BIGN",
            Nil => "NIL",
            True => "TRUE",
            False => "FALSE",
            Name => "NAME",
            Stray => "<INVALID>",
        }
    }
}

/// A token and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub offset: usize,
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    pub const NONE: Kinds = Kinds(0);

    pub const fn of(kinds: &[Kind]) -> Kinds {
        let (mut bits, mut index) = (0, 0);
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u32;
            index += 1;
        }
        Kinds(bits)
    }

    pub const fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u32 != 0
    }
}

/// One kind bare, several in braces.
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = ALL
            .into_iter()
            .filter(|kind| self.has(*kind))
            .map(Kind::name)
            .collect();
        match &names[..] {
            [name] => f.write_str(name),
            names => write!(f, "{{{}}}", names.join(", ")),
        }
    }
}
