//! Nodes, their leases, and who owns what.

use std::time::Duration;

use interlock_pgtest::Server;
use interlock_store::postgres::NodeId;
use interlock_store::{Store, StoreError};

use crate::material::*;

#[test]
fn a_lease_is_granted_renewed_and_ended() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let lease = a.ownership.renew().unwrap();
    assert_eq!((lease.node, lease.left), (a.id, Duration::from_secs(600)));
    let nodes = a.ownership.nodes().unwrap();
    assert_eq!((nodes.len(), &*nodes[0].name), (1, "a"));
    assert_eq!(nodes[0].address, "http://a:7420");
    assert!(
        nodes[0]
            .left
            .is_some_and(|left| left > Duration::from_secs(500))
    );
    // Its lease ends, and no renewal brings it back.
    kill(&database, a.id);
    assert!(matches!(a.ownership.renew(), Err(StoreError::LeaseEnded)));
    assert_eq!(a.ownership.nodes().unwrap()[0].left, None);
    assert_eq!(a.ownership.node(), None);
    // It comes back as another one.
    let again = a.ownership.join(&new_node("a")).unwrap();
    assert!(again.node > a.id);
    a.ownership.leave().unwrap();
    assert!(matches!(a.ownership.renew(), Err(StoreError::LeaseEnded)));
}

#[test]
fn a_name_has_one_node_that_is_alive_unless_somebody_vouches() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let store = interlock_store::PostgresStore::open(&database.url()).unwrap();
    let mut ownership = store.ownership();
    let refused = ownership.join(&new_node("a"));
    assert!(
        matches!(&refused, Err(StoreError::NodeAlive { name, left }) if name == "a" && left.as_secs() > 500),
        "{refused:?}"
    );
    let mut new = new_node("a");
    new.takeover = true;
    ownership.join(&new).unwrap();
    ownership.claim(namespace).unwrap();
    assert!(matches!(a.ownership.renew(), Err(StoreError::LeaseEnded)));
}

#[test]
fn a_namespace_is_claimed_from_nobody_the_dead_and_oneself_only() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let mut b = Process::join(&database, "b");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    assert_eq!(a.ownership.holds(namespace), Some(1), "its maker owns it");
    let refused = b.ownership.claim(namespace);
    let owned = |error: &StoreError| matches!(error, StoreError::Owned { node, left, .. } if *node == a.id.0 && left.as_secs() > 500);
    assert!(refused.as_ref().is_err_and(owned), "{refused:?}");
    assert_eq!(b.ownership.claim_all().unwrap(), [namespace]);
    assert_eq!(a.ownership.claim(namespace).unwrap(), 2, "anew");
    a.ownership.release(namespace).unwrap();
    assert_eq!(b.ownership.claim(namespace).unwrap(), 4);
    kill(&database, b.id);
    assert_eq!(a.ownership.claim(namespace).unwrap(), 5);
    // Whoever is dead claims nothing.
    let refused = b.ownership.claim(namespace);
    assert!(
        matches!(refused, Err(StoreError::LeaseEnded)),
        "{refused:?}"
    );
    // The database's clock goes back: who was declared dead stays it.
    database.sql("UPDATE interlock.nodes SET lease_until = clock_timestamp() + interval '1 hour'");
    assert!(matches!(b.ownership.renew(), Err(StoreError::LeaseEnded)));
    let unknown = interlock_store::NamespaceId(99);
    assert!(matches!(
        a.ownership.claim(unknown),
        Err(StoreError::UnknownNamespace(of)) if of == unknown
    ));
}

#[test]
fn a_namespace_is_handed_over_wanted_and_released() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let mut b = Process::join(&database, "b");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    a.append(namespace, "first").unwrap();
    a.ownership.want(namespace, Some(b.id)).unwrap();
    let claims = b.ownership.claims().unwrap();
    assert_eq!(
        (claims[0].owner, claims[0].wanted),
        (Some(a.id), Some(b.id))
    );
    assert!(claims[0].is_alive);
    // To nobody that is not alive.
    let refused = a.ownership.hand_over(namespace, NodeId(99));
    assert!(
        matches!(refused, Err(StoreError::UnknownNode(99))),
        "{refused:?}"
    );
    a.ownership.claim(namespace).unwrap();
    a.ownership.hand_over(namespace, b.id).unwrap();
    assert!(matches!(
        a.append(namespace, "late"),
        Err(StoreError::NotOwned { .. })
    ));
    let claims = b.ownership.claims().unwrap();
    // What was wanted stays wanted, so that nobody moves it away again.
    assert_eq!(
        (claims[0].owner, claims[0].wanted),
        (Some(b.id), Some(b.id))
    );
    // It has to claim it all the same, so that it has an epoch.
    assert!(matches!(
        b.append(namespace, "early"),
        Err(StoreError::NotOwned { .. })
    ));
    b.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut b.store, namespace), ["first"]);
    b.append(namespace, "second").unwrap();
    b.ownership.leave().unwrap();
    let claims = a.ownership.claims().unwrap();
    assert_eq!((claims[0].owner, claims[0].is_alive), (None, false));
    a.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut a.store, namespace), ["first", "second"]);
}

#[test]
fn a_node_is_told_to_drain() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let mut b = Process::join(&database, "b");
    b.ownership.drain(a.id, true).unwrap();
    assert!(a.ownership.renew().unwrap().draining);
    assert!(b.ownership.nodes().unwrap()[0].draining);
    b.ownership.drain(a.id, false).unwrap();
    assert!(!a.ownership.renew().unwrap().draining);
    let gone = b.ownership.drain(NodeId(99), true);
    assert!(matches!(gone, Err(StoreError::UnknownNode(99))));
}

#[test]
fn a_namespace_that_was_claimed_anew_is_loaded_before_it_is_written_to() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    a.store.append(&[record(namespace, 1, "x")]).unwrap();
    a.ownership.claim(namespace).unwrap();
    let early = a.store.append(&[record(namespace, 2, "y")]);
    assert!(
        matches!(early, Err(StoreError::NotOwned { .. })),
        "{early:?}"
    );
    assert_eq!(log(&mut a.store, namespace), ["x"]);
    a.store.append(&[record(namespace, 2, "y")]).unwrap();
}
