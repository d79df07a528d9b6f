//! What can go wrong, one after the other.

use crate::nodes::{Cluster, LEASE};
use interlock_pgtest::Wire;
use std::time::{Duration, Instant};

/// Longer than the lease of a node.
const TOO_LONG: Duration = Duration::from_secs(8);
/// How long the database is away.
const DATABASE_AWAY: Duration = Duration::from_secs(2);

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Trouble {
    /// The node that serves the namespace is killed.
    KillOwner,
    /// Another node is killed.
    KillOther,
    /// Each node is restarted in order, one after the other.
    RestartEach,
    /// The node that serves the namespace stands still for longer than its lease.
    Pause,
    /// The node that serves the namespace is cut off from the database.
    CutDatabase,
    /// So is it, but its connections stay and nothing comes through.
    StillDatabase,
    /// Commits arrive, and their answers are cut off.
    MuteDatabase,
    /// The other nodes can't reach the one that serves the namespace.
    CutPeers,
    /// Nor can they, but the connections stay and nothing comes through.
    StillPeers,
    /// The database is killed, and started again.
    KillDatabase,
    /// Two of three nodes are killed at once.
    KillTwo,
}

impl Trouble {
    /// For people.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::KillOwner => "kill -9 of the owner",
            Self::KillOther => "kill -9 of another node",
            Self::RestartEach => "each node restarted in order (longest)",
            Self::Pause => "the owner stands still past its lease, and wakes up",
            Self::CutDatabase => "the owner cut off from the database",
            Self::StillDatabase => "the owner's packets to the database lost",
            Self::MuteDatabase => "commits sent, connections cut before the answers",
            Self::CutPeers => "the others cut off from the owner",
            Self::StillPeers => "the others' packets to the owner lost",
            Self::KillDatabase => "kill -9 of the database, away for 2 s (after those)",
            Self::KillTwo => "kill -9 of the owner and another node",
        }
    }

    /// How long nobody may answer.
    pub(super) fn back_within(self) -> Duration {
        LEASE + Duration::from_secs(5)
    }

    /// Makes it, waits until somebody answers, and mends it. Says how long nobody answered.
    pub(super) async fn make(self, cluster: &mut Cluster) -> anyhow::Result<Duration> {
        let owner = cluster.owner("default").await?;
        let other = (owner + 1) % 3;
        match self {
            Self::KillOwner => {
                cluster.nodes.end(owner, "KILL");
                let away = cluster.answers_again(&[other, (owner + 2) % 3]).await;
                cluster.nodes.begin(owner);
                away
            }
            Self::KillOther => {
                cluster.nodes.end(other, "KILL");
                let away = cluster.answers_again(&[owner, (owner + 2) % 3]).await;
                cluster.nodes.begin(other);
                away
            }
            Self::KillTwo => {
                cluster.nodes.end(owner, "KILL");
                cluster.nodes.end(other, "KILL");
                let away = cluster.answers_again(&[(owner + 2) % 3]).await;
                cluster.nodes.begin(owner);
                cluster.nodes.begin(other);
                away
            }
            Self::RestartEach => restart_each(cluster).await,
            Self::Pause => {
                cluster.nodes.signal(owner, "STOP");
                let away = cluster.answers_again(&[other, (owner + 2) % 3]).await;
                // It wakes up with everything that it was about to say.
                cluster.nodes.signal(owner, "CONT");
                away
            }
            Self::CutDatabase => wire(cluster, owner, Wire::Cut, true).await,
            Self::StillDatabase => wire(cluster, owner, Wire::Still, true).await,
            Self::MuteDatabase => {
                cluster.nodes.to_database(owner).set(Wire::Mute);
                tokio::time::sleep(Duration::from_millis(500)).await;
                cluster.nodes.to_database(owner).set(Wire::Whole);
                cluster.answers_again(&[0, 1, 2]).await
            }
            Self::CutPeers => wire(cluster, owner, Wire::Cut, false).await,
            Self::StillPeers => wire(cluster, owner, Wire::Still, false).await,
            Self::KillDatabase => {
                cluster.database.kill();
                tokio::time::sleep(DATABASE_AWAY).await;
                cluster.database.up();
                cluster.answers_again(&[0, 1, 2]).await
            }
        }
    }
}

/// A wire of the owner fails for longer than a lease.
async fn wire(
    cluster: &Cluster,
    owner: usize,
    how: Wire,
    to_database: bool,
) -> anyhow::Result<Duration> {
    let proxy = match to_database {
        true => cluster.nodes.to_database(owner),
        false => cluster.nodes.to_it(owner),
    };
    let begun = Instant::now();
    proxy.set(how);
    let away = cluster.answers_again(&[0, 1, 2]).await;
    tokio::time::sleep(TOO_LONG.saturating_sub(begun.elapsed())).await;
    proxy.set(Wire::Whole);
    if how == Wire::Still {
        // Whoever waits on what was lost will notice.
        proxy.cut();
    }
    away
}

async fn restart_each(cluster: &mut Cluster) -> anyhow::Result<Duration> {
    let mut longest = Duration::ZERO;
    for at in 0..3 {
        let others = [(at + 1) % 3, (at + 2) % 3];
        let status = cluster.nodes.end(at, "TERM");
        anyhow::ensure!(status.success(), "a node ended with {status}");
        longest = longest.max(cluster.answers_again(&others).await?);
        cluster.nodes.begin(at);
        cluster.until_alive(3).await?;
    }
    Ok(longest)
}
