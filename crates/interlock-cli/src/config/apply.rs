//! Puts a configuration into force at the start of a server. What is in force already stays as it
//! is, what the file does not name is left alone.

use super::{Config, Declared};
use anyhow::{Context, bail};
use interlock_api::convert;
use interlock_core::words::Namespace;
use interlock_core::{Command, Reply};
use interlock_server::cell::CellError;
use interlock_server::cluster::Whereabouts;
use interlock_server::server::{Hosted, Server};
use interlock_store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tracing::info;

/// How often a namespace that is being loaded is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// Puts it into force.
pub async fn apply(config: &Config, server: &Arc<Server>) -> anyhow::Result<()> {
    for (name, settings) in &config.namespaces {
        let Some(hosted) = hosted(server, name).await? else {
            info!(namespace = name, "left as it is: another node serves it");
            continue;
        };
        set_namespace(&hosted, *settings)
            .await
            .with_context(|| format!("cannot set the namespace {name:?}"))?;
    }
    for item in &config.declared {
        declare(server, item)
            .await
            .with_context(|| format!("cannot set the {} {:?}", item.what, item.name))?;
    }
    let (namespaces, declared) = (config.namespaces.len(), config.declared.len());
    info!(namespaces, declared, "the configuration is in force");
    Ok(())
}

/// The namespace of this name, made if there is none. None if another node serves it.
async fn hosted(server: &Arc<Server>, name: &str) -> anyhow::Result<Option<Arc<Hosted>>> {
    loop {
        if let Some(hosted) = server.namespaces.find(name) {
            return Ok(Some(hosted));
        }
        if let Some(cluster) = &server.cluster {
            cluster.looked(ASK_AGAIN).await;
            match cluster.directory().find(name) {
                Whereabouts::At(_) => return Ok(None),
                Whereabouts::Here | Whereabouts::Moving => continue,
                Whereabouts::Unknown => {}
            }
        }
        let (created, now) = (name.to_owned(), interlock_server::clock::wall().0);
        let made = server
            .committer()
            .call_async(move |store| store.create_namespace(&created, now));
        match made.await? {
            Ok(row) => return Ok(Some(server.namespaces.host(row)?)),
            // Another node was faster.
            Err(StoreError::NameTaken(_)) if server.cluster.is_some() => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn set_namespace(hosted: &Hosted, settings: Namespace) -> anyhow::Result<()> {
    let known = loop {
        match hosted.cell.read(|view| view.core.namespace().0).await {
            Err(CellError::Loading) => tokio::time::sleep(ASK_AGAIN).await,
            known => break known?,
        }
    };
    if known == settings {
        return Ok(());
    }
    decide(hosted, Command::SetNamespace(settings)).await
}

async fn declare(server: &Arc<Server>, item: &Declared) -> anyhow::Result<()> {
    if server.cluster.is_none() && server.namespaces.find(&item.namespace).is_none() {
        bail!("there is no namespace {:?}", item.namespace);
    }
    match hosted(server, &item.namespace).await? {
        Some(hosted) => decide(&hosted, item.command.clone()).await,
        None => Ok(()),
    }
}

async fn decide(hosted: &Hosted, command: Command) -> anyhow::Result<()> {
    loop {
        match hosted.cell.decide(command.clone()).await {
            Err(CellError::Loading) => tokio::time::sleep(ASK_AGAIN).await,
            Err(error) => return Err(error.into()),
            Ok(answered) => match answered.reply {
                Reply::Refused(refusal) => bail!("{}", convert::refusal::refusal(&refusal)),
                _ => return Ok(()),
            },
        }
    }
}
