//! Runs the binary, and blots out what is never the same twice.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The binary in a directory, with nothing of this machine's environment.
pub(crate) fn interlock(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlock"));
    command.current_dir(dir).env_clear().env("COLUMNS", "100");
    command
}

/// A server on a free port in a directory of its own; gone with the test.
pub(crate) struct Server {
    pub(crate) dir: TempDir,
    pub(crate) address: String,
    child: Child,
    /// Kept, so that the server can go on writing.
    _out: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(more: &[&str]) -> Self {
        Self::start_in(TempDir::new().unwrap(), more)
    }

    pub(crate) fn start_in(dir: TempDir, more: &[&str]) -> Self {
        let mut child = interlock(dir.path())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        let address = first.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{first:?}");
        Self {
            dir,
            address,
            child,
            _out: out,
        }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = interlock(self.dir.path());
        command.env("INTERLOCK_SERVER", &self.address).args(args);
        command
    }

    /// Runs commands one after another, and writes down what a person would see.
    pub(crate) fn talk(&self, lines: &[&[&str]]) -> String {
        let talk = lines.iter().map(|args| shown(args, self.command(args)));
        blot(
            &talk
                .collect::<String>()
                .replace(&self.address, "http://SERVER"),
        )
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A command, its output, its errors, and how it exited.
pub(crate) fn shown(args: &[&str], mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    let code = output.status.code().unwrap();
    let exit = if code == 0 {
        String::new()
    } else {
        format!("[exit {code}]\n")
    };
    format!("$ interlock {}\n{out}{err}{exit}\n", args.join(" "))
}

/// Puts blots over times, and makes the gaps of tables equal.
pub(crate) fn blot(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = dates(line);
        let line = lengths(&line.replace("just now", "0 s ago"));
        gaps(&line.replace("TIME TIME", "TIME"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `2026-11-16T01:35:42.000Z` and `2026-11-16 01:35:42 UTC`.
fn dates(line: &str) -> String {
    let is_date = |text: &str| {
        let shape = "0000-00-00 00:00:00";
        text.len() >= shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, wanted)| match wanted {
                    b'0' => byte.is_ascii_digit(),
                    b' ' => matches!(byte, b' ' | b'T'),
                    _ => byte == wanted,
                })
    };
    let mut blotted = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if is_date(rest) {
            blotted.push_str("DATE");
            rest = rest[19..].trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
            rest = rest.trim_start_matches(" UTC").trim_start_matches('Z');
        } else {
            blotted.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    blotted
}

/// `12 s`, `988 ms`, and such.
fn lengths(line: &str) -> String {
    let mut blotted = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[digits..];
        let word = |unit: &str| {
            after
                .strip_prefix(unit)
                .filter(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        };
        let apart = !blotted.ends_with(|c: char| c.is_alphanumeric());
        match [" ms", " s", " min", " h", " d", " days"]
            .iter()
            .find_map(|unit| word(unit))
        {
            Some(after) if digits > 0 && apart => {
                blotted.push_str("TIME");
                rest = after;
            }
            _ => {
                blotted.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    blotted
}

fn gaps(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let words = line.trim().split("  ").map(str::trim);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{}{}", &line[..indent], words.join("  "))
}
