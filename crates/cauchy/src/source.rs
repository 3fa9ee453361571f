//! Which configuration to take.

use std::path::{Path, PathBuf};

/// What runs when there is no file.
pub const BUILT_IN: &str = include_str!("builtin.config");

/// Where a configuration is looked for when none is given, in this order.
const PLACES: [&str; 2] = ["riemann.config", "/etc/cauchy/riemann.config"];

/// A configuration to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    File(PathBuf),
    BuiltIn,
}

impl Source {
    /// The one that was named, else the first that exists, else the built-in one.
    ///
    /// # Errors
    /// One line: the file that was named does not exist.
    pub fn find(named: Option<&Path>) -> Result<Source, String> {
        match named {
            Some(path) if path.exists() => Ok(Source::File(path.to_path_buf())),
            Some(path) => Err(format!("{}: no such file", path.display())),
            None => {
                let found = PLACES.iter().map(PathBuf::from).find(|path| path.exists());
                Ok(found.map_or(Source::BuiltIn, Source::File))
            }
        }
    }

    /// As messages name it.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::BuiltIn => "built-in configuration".to_owned(),
        }
    }

    /// Folders that its namespaces are looked for in: the one it lies in.
    pub fn search(&self) -> Vec<PathBuf> {
        match self {
            Source::File(path) if path.is_dir() => vec![path.clone()],
            Source::File(path) => {
                let folder = path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty());
                vec![folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf)]
            }
            Source::BuiltIn => Vec::new(),
        }
    }
}
