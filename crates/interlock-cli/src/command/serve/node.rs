//! What a node of a PostgreSQL store is called, and where others reach it.

use crate::exit::Failure;
use anyhow::anyhow;
use interlock_server::cluster::NodeConfig;
use interlock_server::door::DoorConfig;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

/// How long a node's lease is: what a crash of it costs at most, before another takes over.
const LEASE: Duration = Duration::from_secs(6);

/// How a node introduces itself, from what was given and else from what is known.
pub(super) fn config(
    (name, advertise): (Option<String>, Option<String>),
    door: &DoorConfig,
) -> Result<NodeConfig, Failure> {
    if door.tls.is_some() {
        let error =
            anyhow!("nodes speak plain HTTP to one another, so that none can listen with TLS");
        return Err(Failure::usage(error).hint("end TLS in a proxy in front of the nodes"));
    }
    let address = match advertise {
        Some(address) if address.starts_with("http://") => address.trim_end_matches('/').to_owned(),
        Some(address) => {
            let error =
                anyhow!("{address} is not an address that other nodes can reach this one at");
            return Err(Failure::usage(error).hint("such as --advertise http://10.0.0.1:7420"));
        }
        None if door.listen.ip().is_unspecified() => {
            let error = anyhow!("other nodes can't reach this one at {}", door.listen);
            return Err(
                Failure::usage(error).hint("say where they can: --advertise http://10.0.0.1:7420")
            );
        }
        None => format!("http://{}", door.listen),
    };
    Ok(NodeConfig {
        name: name.unwrap_or_else(|| default_name(&address)),
        address,
        lease: LEASE,
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
