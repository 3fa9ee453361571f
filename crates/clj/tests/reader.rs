//! Whatever the text, the reader reads it or says what is wrong; it never panics.

mod pretend;

use clj::reader::read_all;
use clj::{Cx, Runtime};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn anything_like_code_is_read_or_refused(
        text in prop::collection::vec(
            prop::sample::select(vec![
                "(", ")", "[", "]", "{", "}", "#{", "#(", "#_", "#'", "#\"", "\"", "\\", "\\a", "'",
                "`", "~", "~@", "@", "^", ":", "::", "a", "a/b", "%", "%2", "%&", "&", "1", "-", "1/2",
                "0x", "1e", "1N", "#?", "#?@", ":clj", "##", "##Inf", "#:", "#:a", ";", "\n", " ", "#inst",
                "nil", "\\u", "\\o7", "é", "x#", "#", "#=", "#<", ".", "/", "a.", ",",
            ]),
            0..24,
        )
    ) {
        read(&text.concat());
    }
}

fn read(text: &str) {
    let rt = Runtime::new(pretend::host());
    let _ = read_all(&Cx::new(&rt), "text", text);
}
