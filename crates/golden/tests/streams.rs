//! The streams, as `spec/streams` has them.

use std::path::Path;

#[test]
fn streams() {
    golden::check_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/streams"));
}
