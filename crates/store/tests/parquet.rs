//! Parquet: what goes out comes back, and what others have written comes in.
#![cfg(feature = "parquet")]

use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use histogram::Histogram;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use store::{Options, Query, Sample, Store, Value, export_parquet, import_parquet};
use tempfile::TempDir;

const ALL: Query = Query {
    matches: &|_| true,
    from_us: i64::MIN,
    to_us: i64::MAX,
};

fn open(dir: &Path) -> Store {
    Store::open(dir, Options::default()).unwrap()
}

fn lines(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    let answered = store.samples(&ALL, &mut |series, time_us, value| {
        lines.push(format!("{series:?} {time_us} {value:?}"));
        ControlFlow::Continue(())
    });
    assert_eq!(answered.unwrap().damages, []);
    lines.sort();
    lines
}

fn filled(dir: &Path) -> Store {
    let store = open(dir);
    for at in 0..70_000_i64 {
        let latency: Histogram = (0..at % 4).map(|ms| ms as f64).collect();
        let value = match at % 7 {
            0 => Value::Histogram(&latency),
            1 => Value::Text("crítical"),
            2 => Value::Number(f64::NAN),
            _ => Value::Number(at as f64 / 8.0),
        };
        let host = format!("host{}", at % 3);
        let sample = Sample {
            host: (at % 5 > 0).then_some(&host),
            service: (at % 11 > 0).then_some("\"a\" b"),
            by: if at % 2 == 0 {
                &[("zone", "é\"")]
            } else {
                &[]
            },
            time_us: at - 5,
            value,
        };
        assert_eq!(store.append(&[sample]).unwrap(), 1);
    }
    store
}

#[test]
fn what_goes_out_comes_back_and_twice_is_once() {
    let folder = TempDir::new().unwrap();
    let [dir, other, path] = ["store", "other", "file"].map(|name| folder.path().join(name));
    let store = filled(&dir);
    let out: Box<dyn Write + Send> = Box::new(File::create(&path).unwrap());
    assert_eq!(export_parquet(&store, &ALL, out).unwrap().damages, []);
    let back = open(&other);
    for _ in 0..2 {
        let taken = import_parquet(&back, File::open(&path).unwrap()).unwrap();
        assert_eq!(taken, 70_000);
        assert_eq!(lines(&back), lines(&store));
    }
}

/// A Python with the packages of `NEEDS`.
fn python() -> Command {
    let environment = std::env::var_os("CAUCHY_TEST_ENV").map_or_else(
        || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("test-env"),
        PathBuf::from,
    );
    Command::new(environment.join("venv/bin/python3"))
}

#[test]
fn others_read_it_and_write_it() {
    let folder = TempDir::new().unwrap();
    let [dir, other, path, theirs] =
        ["store", "other", "file.parquet", "theirs.parquet"].map(|name| folder.path().join(name));
    let store = filled(&dir);
    let out: Box<dyn Write + Send> = Box::new(File::create(&path).unwrap());
    export_parquet(&store, &ALL, out).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parquet.py");
    let ran = python().args([&script, &path, &theirs]).output();
    let ran = ran.expect("python is there; run `cargo xtask needs`");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}");
    let (mut sum, mut by, mut texts, mut histograms, mut bytes) = (0.0, 0, 0, 0, 0);
    let mut chosen = Vec::new();
    let answered = store.samples(&ALL, &mut |series, time_us, value| {
        by += usize::from(!series.by.is_empty());
        let line = format!("{series:?} {time_us} {value:?}");
        match value {
            Value::Number(number) => {
                sum += if number.is_nan() { 0.0 } else { number };
                // To DuckDB, NaN is the greatest number.
                chosen.extend((number >= 100.0 || number.is_nan()).then_some(line));
            }
            Value::Text(_) => {
                texts += 1;
                chosen.push(line);
            }
            Value::Histogram(histogram) => {
                histograms += 1;
                bytes += histogram.encode().len();
            }
        }
        ControlFlow::Continue(())
    });
    answered.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout).trim(),
        format!("(70000, {sum:?}, -5, 69994, 3, 1, {by}, {texts}, {histograms}, {bytes})")
    );
    let back = open(&other);
    let taken = import_parquet(&back, File::open(&theirs).unwrap()).unwrap();
    chosen.sort();
    assert_eq!((taken, lines(&back)), (chosen.len(), chosen));
}

/// Writes a file of three rows with other columns than ours.
fn write(path: &Path, schema: &str, histogram: &[u8]) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let columns: Vec<String> = (0..)
        .map_while(|at| {
            let mut column = group.next_column().unwrap()?;
            match at {
                0 => column
                    .typed::<Int64Type>()
                    .write_batch(&[10, 20, 30], None, None),
                1 => column
                    .typed::<DoubleType>()
                    .write_batch(&[1.5], Some(&[0, 1, 0]), None),
                _ => {
                    let bytes = ByteArray::from(histogram.to_vec());
                    let levels = Some(&[1, 0, 1][..]);
                    column.typed::<ByteArrayType>().write_batch(
                        &[bytes.clone(), bytes],
                        levels,
                        None,
                    )
                }
            }
            .unwrap();
            column.close().unwrap();
            Some(String::new())
        })
        .collect();
    assert_eq!(columns.len(), 3);
    group.close().unwrap();
    writer.close().unwrap();
}

const OTHERS: &str = "message m {
    REQUIRED INT64 time;
    OPTIONAL DOUBLE number;
    OPTIONAL BYTE_ARRAY histogram;
}";

#[test]
fn columns_may_be_missing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let latency: Histogram = [1.5].into_iter().collect();
    write(&path, OTHERS, &latency.encode());
    let store = open(&folder.path().join("store"));
    assert_eq!(
        import_parquet(&store, File::open(&path).unwrap()).unwrap(),
        3
    );
    let lines = lines(&store);
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].contains("host: None, service: None, by: [] } 10 Histogram("),
        "{lines:?}"
    );
    assert!(lines[1].ends_with("20 Number(1.5)"), "{lines:?}");
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_its_place() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let store = open(&folder.path().join("store"));
    let check = |schema: &str, histogram: &[u8], why: &str| {
        write(&path, schema, histogram);
        let error = import_parquet(&store, File::open(&path).unwrap()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    };
    check(
        OTHERS,
        &[0, 1, 15],
        "row 1: the histogram ends within a bin",
    );
    let times = OTHERS.replace("time;", "when;");
    check(
        &times,
        &[0, 0],
        "there is no column `time`; a file has the columns time",
    );
    let nanos = OTHERS.replace("time;", "time (TIMESTAMP(NANOS, true));");
    check(&nanos, &[0, 0], "column `time` is of another type");
    let texts = OTHERS.replace("BYTE_ARRAY histogram", "BYTE_ARRAY text (UTF8)");
    check(&texts, &[0xff], "row 1: ");
    let others = texts.replace("number", "other");
    check(
        &others,
        b"ok",
        "row 2: there is no `number`, `histogram` or `text`",
    );
    std::fs::write(&path, "PAR1 but no more").unwrap();
    let error = import_parquet(&store, File::open(&path).unwrap()).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot read the import"),
        "{error}"
    );
}
