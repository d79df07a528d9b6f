//! Every node answers everything; namespaces go where they are wanted.

use crate::nodes::{NAMES, Nodes, serves};
use interlock_api::Code;
use interlock_api::claim::Claim;
use interlock_api::kind::KindPolicy;
use interlock_api::namespace::NamespacePolicy;
use interlock_api::node::MoveNamespace;
use interlock_api::page::PageQuery;
use interlock_api::submission::Submission;
use interlock_api::task::TaskQuery;
use interlock_client::Error;
use std::time::{Duration, Instant, SystemTime};

fn sync(resource: &str) -> Submission {
    let claim = Claim {
        resource: resource.into(),
        op: None,
    };
    Submission::new("sync", [claim])
}

#[tokio::test]
async fn every_node_answers_everything() {
    let nodes = Nodes::start().await;
    let kinds = nodes.client(0);
    kinds
        .kinds()
        .set("sync", &KindPolicy::default())
        .await
        .unwrap();
    for at in 0..3 {
        let report = nodes
            .client(at)
            .tasks()
            .submit(&sync("repository:f16"))
            .await
            .unwrap();
        assert_eq!(
            report.task,
            Some(at as u64 + 1),
            "one line, whoever was asked"
        );
    }
    for at in 0..3 {
        let client = nodes.client(at);
        let tasks = client.tasks().list(&Default::default()).await.unwrap();
        assert_eq!(tasks.items.len(), 3);
        assert_eq!(client.tasks().show(2).await.unwrap().task, 2);
        let resource = client.resources().show("repository:f16").await.unwrap();
        assert_eq!(resource.resource, "repository:f16");
    }
    // One that is made by one node is known to all of them at once.
    let shops = NamespacePolicy::default();
    nodes
        .client(1)
        .namespaces()
        .set("shops", &shops)
        .await
        .unwrap();
    // Also to be moved, by the node that made it.
    let to = MoveNamespace {
        to: Some("n3".into()),
    };
    let moved = nodes.client(1).namespaces().move_to("shops", &to).await;
    moved.unwrap();
    for at in 0..3 {
        let client = nodes.client(at).in_namespace("shops").unwrap();
        client
            .kinds()
            .set("sync", &KindPolicy::default())
            .await
            .unwrap();
        let all = nodes
            .client(at)
            .namespaces()
            .list(&PageQuery::default())
            .await
            .unwrap();
        let names: Vec<&str> = all.items.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["default", "shops"]);
        let status = nodes.client(at).status().await.unwrap();
        assert_eq!(
            (status.namespaces.len(), status.store.as_str()),
            (2, "postgres")
        );
    }
    let nowhere = nodes.client(2).in_namespace("nowhere").unwrap();
    let refused = nowhere.tasks().submit(&sync("a:1")).await.unwrap_err();
    let Error::Problem(problem) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(problem.code, Code::UnknownNamespace);
}

#[tokio::test]
async fn every_node_lists_what_has_ended_and_says_as_of_when() {
    let nodes = Nodes::start().await;
    let client = nodes.client_of_all();
    let policy = KindPolicy::default();
    client.kinds().set("sync", &policy).await.unwrap();
    client
        .tasks()
        .submit(&sync("repository:f16"))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    let before = interlock_api::time::Time::from_ms(wall_ms());
    client.tasks().cancel(1, Default::default()).await.unwrap();
    let owner = nodes.owner("default").await;
    let ended = TaskQuery {
        state: Some("cancelled".into()),
        ..TaskQuery::default()
    };
    for at in 0..3 {
        let asked = nodes.client(at);
        let begun = Instant::now();
        loop {
            let page = asked.tasks().list(&ended).await.unwrap();
            assert_eq!(page.as_of.is_none(), at == owner, "{page:?}");
            let is_complete = page.as_of.is_none_or(|as_of| as_of >= before);
            if let [task] = &page.items[..] {
                assert_eq!(task.task, 1);
            } else {
                assert!(!is_complete, "{page:?}");
                assert!(at != owner, "who serves it knows it at once");
            }
            if is_complete {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{page:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // Whatever else is asked for comes from the node that serves it.
        let all = asked.tasks().list(&Default::default()).await.unwrap();
        assert_eq!((all.items.len(), all.as_of), (1, None));
    }
    let status = nodes.client((owner + 1) % 3).status().await.unwrap();
    assert_eq!(status.nodes.len(), 3);
    let namespace = &status.namespaces[0];
    assert_eq!(namespace.node.as_deref(), Some(NAMES[owner]));
    assert_eq!(
        namespace.epoch,
        Some(status.nodes[owner].namespaces[0].epoch)
    );
}

fn wall_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(now.unwrap().as_millis()).unwrap()
}

#[tokio::test]
async fn namespaces_are_moved_and_drained_without_an_error() {
    let nodes = Nodes::start().await;
    let client = nodes.client_of_all();
    client
        .kinds()
        .set("sync", &KindPolicy::default())
        .await
        .unwrap();
    let mut submitted = 0;
    for to in NAMES {
        let to = MoveNamespace {
            to: Some(to.into()),
        };
        client.namespaces().move_to("default", &to).await.unwrap();
        // While it moves, whoever asks waits a little, and gets an answer.
        for _ in 0..20 {
            let asked = nodes.client(submitted % 3);
            asked.tasks().submit(&sync("repository:f16")).await.unwrap();
            submitted += 1;
        }
        let wanted = to.to.clone().unwrap();
        nodes
            .until(|all| {
                all.iter()
                    .any(|node| node.name == wanted && serves(node, "default"))
            })
            .await;
    }
    client.nodes().drain("n3").await.unwrap();
    nodes
        .until(|all| {
            all.iter()
                .any(|node| node.name != "n3" && serves(node, "default"))
        })
        .await;
    let tasks = client.tasks().list(&Default::default()).await.unwrap();
    assert_eq!(tasks.items.len(), submitted.min(tasks.items.len()));
    let newest = client
        .tasks()
        .submit(&sync("repository:f16"))
        .await
        .unwrap();
    assert_eq!(
        newest.task,
        Some(submitted as u64 + 1),
        "none was lost, none came twice"
    );
    let refused = client.nodes().drain("n9").await.unwrap_err();
    assert!(matches!(refused, Error::Problem(problem) if problem.code == Code::UnknownNode));
}
