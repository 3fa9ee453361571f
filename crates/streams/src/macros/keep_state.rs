//! `keep-state`.

use clj::{Native, Value};

use super::entry;
use crate::forms::{call, core, ours};

pub const MACRO: Native = entry(
    "keep-state",
    "([name & children])",
    1,
    |_, args| {
        let children = Value::vector(args[3..].to_vec());
        let build = call(core("fn"), [Value::vector(Vec::new()), children]);
        Ok(call(ours("keep-state*"), [args[2].clone(), build]))
    },
    "Passes events on to its children. When the configuration is read again, their windows, counts and \
     forks go on as they are, if there was a keep-state of that name with the same streams in the same \
     order; a stream whose numbers or fields have changed begins anew. The log tells. What functions of the \
     configuration remember, in atoms say, is not kept.\n\n    (keep-state \"rates\"\n      (by [:host \
     :service] (rate 60 index)))",
);
