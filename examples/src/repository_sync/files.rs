//! Repositories as directories: what the tasks really do.

use std::io;
use std::path::{Path, PathBuf};

/// All repositories.
#[derive(Clone, Debug)]
pub struct Repositories {
    dir: PathBuf,
}

impl Repositories {
    /// Those in this directory.
    pub fn within(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
        }
    }

    /// Puts a package into a repository.
    pub fn put(&self, repository: &str, package: &str) -> io::Result<()> {
        let dir = self.path(repository);
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join(package), package)
    }

    /// The packages of a repository, by name; none if it does not exist.
    pub fn packages(&self, repository: &str) -> io::Result<Vec<String>> {
        let listed = match std::fs::read_dir(self.path(repository)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed?,
        };
        let names = listed.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names: Vec<String> = names.collect::<io::Result<_>>()?;
        names.sort();
        Ok(names)
    }

    /// Whether the repository is there.
    pub fn exists(&self, repository: &str) -> bool {
        self.path(repository).exists()
    }

    /// Removes a repository.
    pub fn remove(&self, repository: &str) -> io::Result<()> {
        match std::fs::remove_dir_all(self.path(repository)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// `repository:f16` is the directory `f16`.
    fn path(&self, repository: &str) -> PathBuf {
        let name = repository.split_once(':').map_or(repository, |(_, id)| id);
        self.dir.join(name.replace(['/', '.'], "_"))
    }
}
