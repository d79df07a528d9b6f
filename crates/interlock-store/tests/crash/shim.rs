//! A library put between a process and the system, which makes calls on chosen files fail.
//!
//! It is compiled by the test with the C compiler that SQLite needs anyway. The process under it says
//! what shall fail by writing a file: `write 5 -wal` makes every write to a file whose name ends in
//! `-wal` fail with error 5.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the file with the order.
pub(crate) const ORDER: &str = "INTERLOCK_SHIM_ORDER";
/// Input/output error.
pub(crate) const EIO: i32 = 5;
/// No space left on device.
pub(crate) const ENOSPC: i32 = 28;

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The error that an operation on a file shall fail with, or 0. */
static int ordered(const char *operation, int fd) {
    const char *order = getenv("INTERLOCK_SHIM_ORDER");
    char kind[16], suffix[64], link[64], path[4096];
    int error = 0, saved = errno;
    FILE *file = order ? fopen(order, "r") : NULL;
    if (!file) { errno = saved; return 0; }
    int read = fscanf(file, "%15s %d %63s", kind, &error, suffix);
    fclose(file);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (read != 3 || strcmp(kind, operation) || length < 0) return 0;
    path[length] = 0;
    size_t end = strlen(suffix);
    if ((size_t)length < end || strcmp(path + length - end, suffix)) return 0;
    return error;
}

#define FAIL_IF_ORDERED(operation, fd) \
    do { int error = ordered(operation, fd); if (error) { errno = error; return -1; } } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    FAIL_IF_ORDERED("write", fd);
    return real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite");
    FAIL_IF_ORDERED("write", fd);
    return real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    FAIL_IF_ORDERED("write", fd);
    return real(fd, bytes, count, at);
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    FAIL_IF_ORDERED("sync", fd);
    return real(fd);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    FAIL_IF_ORDERED("sync", fd);
    return real(fd);
}
"#;

/// Compiles it into a directory.
pub(crate) fn compile(dir: &Path) -> PathBuf {
    let (source, library) = (dir.join("shim.c"), dir.join("shim.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("a C compiler, as SQLite needs one");
    assert!(compiled.success());
    library
}

/// Orders calls to fail, from within the process that is under the shim.
pub(crate) fn order(operation: &str, error: i32, suffix: &str) {
    order_in(
        Path::new(&std::env::var(ORDER).unwrap()),
        operation,
        error,
        suffix,
    );
}

/// Orders calls to fail, by the file that the process under the shim looks at.
pub(crate) fn order_in(file: &Path, operation: &str, error: i32, suffix: &str) {
    // Written beside and moved, so that no call sees half an order.
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{operation} {error} {suffix}\n")).unwrap();
    std::fs::rename(new, file).unwrap();
}

/// Lets calls succeed again.
pub(crate) fn relent() {
    std::fs::remove_file(std::env::var(ORDER).unwrap()).unwrap();
}
