//! Exception classes and their hierarchy.

/// Class and superclass, by full name.
const SUPERCLASSES: &[(&str, &str)] = &[
    ("java.lang.Throwable", "java.lang.Object"),
    ("java.lang.Exception", "java.lang.Throwable"),
    ("java.lang.Error", "java.lang.Throwable"),
    ("java.lang.AssertionError", "java.lang.Error"),
    ("java.lang.VirtualMachineError", "java.lang.Error"),
    ("java.lang.ThreadDeath", "java.lang.Error"),
    (
        "java.lang.StackOverflowError",
        "java.lang.VirtualMachineError",
    ),
    (
        "java.lang.OutOfMemoryError",
        "java.lang.VirtualMachineError",
    ),
    ("java.lang.RuntimeException", "java.lang.Exception"),
    ("java.lang.InterruptedException", "java.lang.Exception"),
    (
        "java.lang.CloneNotSupportedException",
        "java.lang.Exception",
    ),
    (
        "java.lang.ReflectiveOperationException",
        "java.lang.Exception",
    ),
    (
        "java.lang.ClassNotFoundException",
        "java.lang.ReflectiveOperationException",
    ),
    (
        "java.lang.NoSuchFieldException",
        "java.lang.ReflectiveOperationException",
    ),
    (
        "java.lang.NoSuchMethodException",
        "java.lang.ReflectiveOperationException",
    ),
    (
        "java.lang.ArithmeticException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.ArrayStoreException",
        "java.lang.RuntimeException",
    ),
    ("java.lang.ClassCastException", "java.lang.RuntimeException"),
    (
        "java.lang.IllegalArgumentException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.IllegalMonitorStateException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.IllegalStateException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.IndexOutOfBoundsException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.ArrayIndexOutOfBoundsException",
        "java.lang.IndexOutOfBoundsException",
    ),
    (
        "java.lang.StringIndexOutOfBoundsException",
        "java.lang.IndexOutOfBoundsException",
    ),
    (
        "java.lang.NegativeArraySizeException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.NullPointerException",
        "java.lang.RuntimeException",
    ),
    (
        "java.lang.NumberFormatException",
        "java.lang.IllegalArgumentException",
    ),
    ("java.lang.SecurityException", "java.lang.RuntimeException"),
    (
        "java.lang.UnsupportedOperationException",
        "java.lang.RuntimeException",
    ),
    ("java.io.IOException", "java.lang.Exception"),
    ("java.io.EOFException", "java.io.IOException"),
    ("java.io.FileNotFoundException", "java.io.IOException"),
    ("java.io.UncheckedIOException", "java.lang.RuntimeException"),
    ("java.net.SocketException", "java.io.IOException"),
    ("java.net.ConnectException", "java.net.SocketException"),
    ("java.net.BindException", "java.net.SocketException"),
    (
        "java.net.SocketTimeoutException",
        "java.io.InterruptedIOException",
    ),
    ("java.io.InterruptedIOException", "java.io.IOException"),
    ("java.net.UnknownHostException", "java.io.IOException"),
    ("java.net.MalformedURLException", "java.io.IOException"),
    ("java.net.URISyntaxException", "java.lang.Exception"),
    ("java.text.ParseException", "java.lang.Exception"),
    ("java.time.DateTimeException", "java.lang.RuntimeException"),
    (
        "java.time.format.DateTimeParseException",
        "java.time.DateTimeException",
    ),
    (
        "java.security.GeneralSecurityException",
        "java.lang.Exception",
    ),
    (
        "java.security.NoSuchAlgorithmException",
        "java.security.GeneralSecurityException",
    ),
    (
        "java.util.ConcurrentModificationException",
        "java.lang.RuntimeException",
    ),
    (
        "java.util.EmptyStackException",
        "java.lang.RuntimeException",
    ),
    (
        "java.util.NoSuchElementException",
        "java.lang.RuntimeException",
    ),
    (
        "java.util.InputMismatchException",
        "java.util.NoSuchElementException",
    ),
    (
        "java.util.IllegalFormatException",
        "java.lang.IllegalArgumentException",
    ),
    (
        "java.util.DuplicateFormatFlagsException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.FormatFlagsConversionMismatchException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.IllegalFormatConversionException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.IllegalFormatFlagsException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.IllegalFormatPrecisionException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.IllegalFormatWidthException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.MissingFormatArgumentException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.MissingFormatWidthException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.UnknownFormatConversionException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.UnknownFormatFlagsException",
        "java.util.IllegalFormatException",
    ),
    (
        "java.util.regex.PatternSyntaxException",
        "java.lang.IllegalArgumentException",
    ),
    (
        "java.util.concurrent.ExecutionException",
        "java.lang.Exception",
    ),
    (
        "java.util.concurrent.TimeoutException",
        "java.lang.Exception",
    ),
    (
        "java.util.concurrent.CancellationException",
        "java.lang.IllegalStateException",
    ),
    (
        "java.util.concurrent.RejectedExecutionException",
        "java.lang.RuntimeException",
    ),
    (
        "io.riemann.riemann.client.ServerError",
        "java.io.IOException",
    ),
    (
        "io.riemann.riemann.client.OverloadedException",
        "java.io.IOException",
    ),
    (
        "com.fasterxml.jackson.core.JsonProcessingException",
        "java.io.IOException",
    ),
    (
        "com.fasterxml.jackson.core.JsonParseException",
        "com.fasterxml.jackson.core.JsonProcessingException",
    ),
    (
        "com.fasterxml.jackson.core.JsonGenerationException",
        "com.fasterxml.jackson.core.JsonProcessingException",
    ),
    (
        "clojure.lang.ArityException",
        "java.lang.IllegalArgumentException",
    ),
    ("clojure.lang.ExceptionInfo", "java.lang.RuntimeException"),
    (
        "clojure.lang.Compiler$CompilerException",
        "java.lang.RuntimeException",
    ),
    (
        "clojure.lang.LispReader$ReaderException",
        "java.lang.RuntimeException",
    ),
    (
        "clojure.lang.EdnReader$ReaderException",
        "java.lang.RuntimeException",
    ),
];

/// The superclass of an exception class; of one that is not in the table, `RuntimeException`.
pub fn superclass(class: &str) -> Option<&'static str> {
    match SUPERCLASSES.iter().find(|(name, _)| *name == class) {
        Some((_, superclass)) => Some(superclass),
        None if class == "java.lang.Object" => None,
        None => Some("java.lang.RuntimeException"),
    }
}

/// True if the exception class `class` is `ancestor` or one of its descendants.
pub fn is_subclass(class: &str, ancestor: &str) -> bool {
    if class == ancestor || ancestor == "java.io.Serializable" {
        return true;
    }
    if ancestor == "clojure.lang.IExceptionInfo" {
        return class == "clojure.lang.ExceptionInfo";
    }
    std::iter::successors(superclass(class), |class| superclass(class)).any(|it| it == ancestor)
}

/// The full names of all exception classes.
pub fn classes() -> impl Iterator<Item = &'static str> {
    SUPERCLASSES.iter().map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_not_exceptions() {
        assert!(is_subclass(
            "java.lang.ArithmeticException",
            "java.lang.Exception"
        ));
        assert!(is_subclass(
            "java.lang.StackOverflowError",
            "java.lang.Throwable"
        ));
        assert!(!is_subclass(
            "java.lang.StackOverflowError",
            "java.lang.Exception"
        ));
        assert!(!is_subclass(
            "java.lang.AssertionError",
            "java.lang.Exception"
        ));
    }

    #[test]
    fn a_class_nobody_knows_is_a_runtime_exception() {
        assert!(is_subclass("mycorp.Oops", "java.lang.RuntimeException"));
    }
}
