//! What a node of a PostgreSQL store is called, and where others reach it.

use crate::exit::Failure;
use anyhow::anyhow;
use interlock_server::cluster::NodeConfig;
use interlock_server::door::{Authorities, DoorConfig};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

/// How long a node's lease is: what a crash of it costs at most, before another takes over.
const LEASE: Duration = Duration::from_secs(6);

/// What was given of it.
#[derive(Clone, Default)]
pub(super) struct Given {
    /// What it is called.
    pub(super) name: Option<String>,
    /// Where others reach it.
    pub(super) advertise: Option<String>,
    /// Who vouches for the others' certificates, PEM.
    pub(super) ca: Option<PathBuf>,
}

/// How a node introduces itself, from what was given and else from what is known.
pub(super) fn config(given: Given, door: &DoorConfig) -> Result<NodeConfig, Failure> {
    let scheme = match door.tls {
        Some(_) => "https",
        None => "http",
    };
    let such_as = format!("such as --advertise {scheme}://10.0.0.1:7420");
    let address = match given.advertise {
        Some(address) if address.starts_with(&format!("{scheme}://")) => {
            address.trim_end_matches('/').to_owned()
        }
        Some(address) => {
            let error =
                anyhow!("{address} is not an address that other nodes can reach this one at");
            return Err(Failure::usage(error).hint(such_as));
        }
        None if door.listen.ip().is_unspecified() => {
            let error = anyhow!("other nodes can't reach this one at {}", door.listen);
            return Err(Failure::usage(error).hint(format!("say where they can, {such_as}")));
        }
        None => format!("{scheme}://{}", door.listen),
    };
    Ok(NodeConfig {
        name: given.name.unwrap_or_else(|| default_name(&address)),
        address,
        lease: LEASE,
        authorities: match (given.ca, &door.tls) {
            (Some(file), _) => Authorities::from_file(&file)?,
            (None, Some(_)) => Authorities::of_machine(),
            (None, None) => Authorities::nobody(),
        },
    })
}

/// A node tells others where it is before it listens: a free port is chosen beforehand.
pub(super) fn choose_port(listen: SocketAddr) -> std::io::Result<SocketAddr> {
    match listen.port() {
        0 => TcpListener::bind(listen)?.local_addr(),
        _ => Ok(listen),
    }
}

/// The machine and the port: unlike those of all other nodes.
fn default_name(address: &str) -> String {
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_string_lossy().into_owned();
    match address.rsplit_once(':') {
        Some((_, port)) => format!("{machine}-{port}"),
        None => machine,
    }
}
