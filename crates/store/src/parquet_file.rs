//! Export and import as Parquet, for programs that read columns: a row a sample.

use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use histogram::Histogram;
use parquet::basic::{Compression, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescriptor;

use crate::error::{Error, Result};
use crate::export::{BATCH, Owned, OwnedValue, append, by_of, read_by};
use crate::query::{Answered, Query};
use crate::series::Series;
use crate::store::Store;
use crate::value::Value;

/// The columns. `by` is a list of pairs as JSON; `histogram` has OpenHistogram's binary form.
const SCHEMA: &str = "message samples {
    OPTIONAL BYTE_ARRAY host (UTF8);
    OPTIONAL BYTE_ARRAY service (UTF8);
    OPTIONAL BYTE_ARRAY by (UTF8);
    REQUIRED INT64 time (TIMESTAMP(MICROS, true));
    OPTIONAL DOUBLE number;
    OPTIONAL BYTE_ARRAY histogram;
    OPTIONAL BYTE_ARRAY text (UTF8);
}";

const COLUMNS: &str = "a file has the columns time (timestamp in microseconds), host, service, \
                       by, number, histogram and text";

/// Rows that are in memory before they are written.
const GROUP_ROWS: usize = 1 << 16;

/// Writes samples as Parquet.
///
/// # Errors
/// What the disk says, of the store or of what is written to.
pub fn export_parquet(
    store: &Store,
    query: &Query,
    out: Box<dyn Write + Send>,
) -> Result<Answered> {
    let schema = parse_message_type(SCHEMA).map_err(unwritten)?;
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = Arc::new(snappy.build());
    let mut writer =
        SerializedFileWriter::new(out, Arc::new(schema), properties).map_err(unwritten)?;
    let mut rows = Rows::default();
    let mut failed = Ok(());
    let answered = store.samples(query, &mut |series, time_us, value| {
        rows.push(series, time_us, value);
        if rows.times.len() == GROUP_ROWS {
            failed = rows.write(&mut writer);
        }
        match failed {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    failed
        .and_then(|()| rows.write(&mut writer))
        .and_then(|()| writer.close().map(|_| ()))
        .map_err(unwritten)?;
    Ok(answered)
}

fn unwritten(error: ParquetError) -> Error {
    Error::io("write", "the export", io::Error::other(error))
}

fn unread(error: ParquetError) -> Error {
    Error::io("read", "the import", io::Error::other(error))
}

/// A column of values, some of which are not there.
#[derive(Default)]
struct Optional<T> {
    values: Vec<T>,
    /// For each row 1 or 0, whether it has a value.
    levels: Vec<i16>,
}

impl<T> Optional<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn write<D: DataType<T = T>>(
        &mut self,
        column: &mut SerializedColumnWriter,
    ) -> std::result::Result<(), ParquetError> {
        let writer = column.typed::<D>();
        writer.write_batch(&self.values, Some(&self.levels), None)?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

/// Rows that wait to be written.
#[derive(Default)]
struct Rows {
    names: [Optional<ByteArray>; 3],
    times: Vec<i64>,
    numbers: Optional<f64>,
    histograms: Optional<ByteArray>,
    texts: Optional<ByteArray>,
    /// The last series, so that its name is made once.
    last: Option<(Series, [Option<ByteArray>; 3])>,
}

fn bytes(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

impl Rows {
    fn push(&mut self, series: &Series, time_us: i64, value: Value) {
        if self.last.as_ref().is_none_or(|(last, _)| last != series) {
            let by = (!series.by.is_empty()).then(|| bytes(&by_of(series).to_string()));
            let [host, service] =
                [&series.host, &series.service].map(|text| text.as_deref().map(bytes));
            self.last = Some((series.clone(), [host, service, by]));
        }
        let names = self.last.as_ref().map(|last| last.1.clone());
        for (column, name) in self.names.iter_mut().zip(names.unwrap_or_default()) {
            column.push(name);
        }
        self.times.push(time_us);
        let (mut number, mut histogram, mut text) = (None, None, None);
        match value {
            Value::Number(value) => number = Some(value),
            Value::Histogram(value) => histogram = Some(ByteArray::from(value.encode())),
            Value::Text(value) => text = Some(bytes(value)),
        }
        self.numbers.push(number);
        self.histograms.push(histogram);
        self.texts.push(text);
    }

    fn write(
        &mut self,
        writer: &mut SerializedFileWriter<Box<dyn Write + Send>>,
    ) -> std::result::Result<(), ParquetError> {
        if self.times.is_empty() {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        let mut index = 0;
        while let Some(mut column) = group.next_column()? {
            match index {
                0..3 => self.names[index].write::<ByteArrayType>(&mut column)?,
                3 => {
                    let writer = column.typed::<Int64Type>();
                    writer.write_batch(&self.times, None, None)?;
                    self.times.clear();
                }
                4 => self.numbers.write::<DoubleType>(&mut column)?,
                5 => self.histograms.write::<ByteArrayType>(&mut column)?,
                _ => self.texts.write::<ByteArrayType>(&mut column)?,
            }
            column.close()?;
            index += 1;
        }
        group.close().map(|_| ())
    }
}

/// Reads samples from columns named as [`export_parquet`] names them, of which all but `time` may
/// be missing; what is there already is not there twice. Returns how many were taken.
///
/// # Errors
/// [`Error::Row`] with the row's number; the rows before it have been taken or not. If it is no
/// Parquet file; as [`Store::append`].
pub fn import_parquet(store: &Store, file: File) -> Result<usize> {
    let reader = SerializedFileReader::new(file).map_err(unread)?;
    let mut taken = 0;
    let mut row_number = 0;
    for at in 0..reader.num_row_groups() {
        let group = reader.get_row_group(at).map_err(unread)?;
        let mut columns = Columns::of(&*group)?;
        let mut left = group.metadata().num_rows() as usize;
        while left > 0 {
            let rows = left.min(BATCH);
            let batch = columns.read(rows, row_number)?;
            taken += append(store, &batch)?;
            row_number += rows;
            left -= rows;
        }
    }
    Ok(taken)
}

/// A column that is read, or one that the file does not have.
struct Column<D: DataType> {
    reader: Option<ColumnReaderImpl<D>>,
    is_optional: bool,
}

/// The columns of a group of rows.
struct Columns {
    names: [Column<ByteArrayType>; 3],
    times: Column<Int64Type>,
    numbers: Column<DoubleType>,
    histograms: Column<ByteArrayType>,
    texts: Column<ByteArrayType>,
}

impl Columns {
    fn of(group: &dyn RowGroupReader) -> Result<Columns> {
        let times = Column::of(group, "time")?;
        if times.reader.is_none() {
            return Err(misfit("there is no column `time`"));
        }
        Ok(Columns {
            names: [
                Column::of(group, "host")?,
                Column::of(group, "service")?,
                Column::of(group, "by")?,
            ],
            times,
            numbers: Column::of(group, "number")?,
            histograms: Column::of(group, "histogram")?,
            texts: Column::of(group, "text")?,
        })
    }

    fn read(&mut self, rows: usize, first: usize) -> Result<Vec<Owned>> {
        let [hosts, services, by] = &mut self.names;
        let (hosts, services, by) = (hosts.read(rows)?, services.read(rows)?, by.read(rows)?);
        let (times, numbers) = (self.times.read(rows)?, self.numbers.read(rows)?);
        let (histograms, texts) = (self.histograms.read(rows)?, self.texts.read(rows)?);
        let row = |at: usize| -> std::result::Result<Owned, String> {
            let value = if let Some(bytes) = &histograms[at] {
                let histogram = Histogram::decode(bytes.data());
                OwnedValue::Histogram(histogram.map_err(|error| error.to_string())?)
            } else if let Some(text) = text_of(&texts[at])? {
                OwnedValue::Text(text)
            } else {
                let none = "there is no `number`, `histogram` or `text`";
                OwnedValue::Number(numbers[at].ok_or(none)?)
            };
            let by = text_of(&by[at])?.unwrap_or_else(|| "null".to_owned());
            let by = serde_json::from_str(&by).map_err(|error| format!("`by`: {error}"))?;
            Ok(Owned {
                series: Series {
                    host: text_of(&hosts[at])?,
                    service: text_of(&services[at])?,
                    by: read_by(&by)?,
                },
                time_us: times[at].ok_or("there is no `time`")?,
                value,
            })
        };
        let row_error = |at, why| Error::Row {
            row_number: first + at + 1,
            why,
        };
        (0..rows)
            .map(|at| row(at).map_err(|why| row_error(at, why)))
            .collect()
    }
}

fn text_of(bytes: &Option<ByteArray>) -> std::result::Result<Option<String>, String> {
    let text = bytes.as_ref().map(|bytes| bytes.as_utf8());
    let text = text.transpose().map_err(|error| error.to_string())?;
    Ok(text.map(str::to_owned))
}

fn misfit(why: &str) -> Error {
    let why = io::Error::new(io::ErrorKind::InvalidData, format!("{why}; {COLUMNS}"));
    Error::io("read", "the import", why)
}

impl<D: DataType> Column<D> {
    fn of(group: &dyn RowGroupReader, name: &str) -> Result<Column<D>> {
        let columns = group.metadata().columns().iter();
        let mut named = columns.map(|column| column.column_descr());
        let Some(at) = named.position(|column| column.path().string() == name) else {
            return Ok(Column {
                reader: None,
                is_optional: true,
            });
        };
        let described = group.metadata().column(at).column_descr();
        if !is_fit::<D>(described) {
            return Err(misfit(&format!("column `{name}` is of another type")));
        }
        let reader: ColumnReader = group.get_column_reader(at).map_err(unread)?;
        Ok(Column {
            reader: Some(get_typed_column_reader(reader)),
            is_optional: described.max_def_level() > 0,
        })
    }

    fn read(&mut self, rows: usize) -> Result<Vec<Option<D::T>>> {
        let Some(reader) = &mut self.reader else {
            return Ok(vec![None; rows]);
        };
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let levels_wanted = self.is_optional.then_some(&mut levels);
        let read = reader.read_records(rows, levels_wanted, None, &mut values);
        let (records, _, _) = read.map_err(unread)?;
        if records != rows {
            return Err(misfit("it ends within a group of rows"));
        }
        if !self.is_optional {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        let row = |level: &i16| if *level > 0 { values.next() } else { None };
        Ok(levels.iter().map(row).collect())
    }
}

/// Whether a column is flat, of this type, and of microseconds if it is of times.
fn is_fit<D: DataType>(column: &ColumnDescriptor) -> bool {
    let is_flat = column.max_rep_level() == 0 && column.max_def_level() <= 1;
    let is_of_micros = match column.logical_type_ref() {
        Some(LogicalType::Timestamp(time)) => time.unit == TimeUnit::MICROS,
        _ => true,
    };
    is_flat && is_of_micros && column.physical_type() == D::get_physical_type()
}
