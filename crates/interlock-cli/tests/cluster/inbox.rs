//! Submissions within other people's transactions, through three nodes: each becomes one task, within
//! a second, and its outcome can be read, whatever happens to the nodes.

use crate::nodes::Nodes;
use interlock_api::kind::KindPolicy;
use interlock_api::task::TaskQuery;
use serde_json::Value;
use std::time::{Duration, Instant};

const WITHIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(60);

async fn outcome(nodes: &Nodes, key: &str) -> (Value, Duration) {
    let begun = Instant::now();
    loop {
        let said = nodes.sql(&format!("SELECT interlock.outcome('{key}')"));
        if !said.is_empty() {
            return (serde_json::from_str(&said).unwrap(), begun.elapsed());
        }
        assert!(begun.elapsed() < PATIENCE, "{key} has no outcome");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn tasks(nodes: &Nodes) -> usize {
    let client = nodes.client_of_all();
    let all = TaskQuery {
        limit: Some(1_000),
        ..TaskQuery::default()
    };
    client.tasks().list(&all).await.unwrap().items.len()
}

#[tokio::test]
async fn a_submission_of_a_transaction_becomes_a_task_within_a_second() {
    let nodes = Nodes::start().await;
    let kinds = nodes.client_of_all();
    let policy = KindPolicy::default();
    kinds.kinds().set("sync", &policy).await.unwrap();
    nodes.sql("SELECT interlock.submit('sync', '[\"shop:1\"]', '{\"full\": true}', 'first')");
    let (first, took) = outcome(&nodes, "first").await;
    assert_eq!(
        (&first["status"], &first["report"]["verdict"]),
        (&202.into(), &"accepted".into())
    );
    assert!(took < WITHIN, "{took:?}");
    let task = first["report"]["task"].as_u64().unwrap();
    let shown = kinds.tasks().show(task).await.unwrap();
    assert_eq!(shown.resources[0].resource, "shop:1");

    // One that waits for another says for whom; one that makes no sense says why.
    let wait = r#"SELECT interlock.submit('sync', '["shop:1"]', key => 'second', options => '{"key": "other"}')"#;
    nodes.sql(wait);
    let (second, _) = outcome(&nodes, "second").await;
    assert_eq!(second["report"]["verdict"], "postponed");
    let why = second["report"]["reasons"][0]["sentence"].as_str().unwrap();
    assert!(why.contains("shop:1"), "{why}");
    nodes.sql("SELECT interlock.submit('nonsense', '[\"shop:1\"]', key => 'third')");
    let (third, _) = outcome(&nodes, "third").await;
    assert_eq!(third["problem"]["code"], "unknown_kind", "{third}");
    nodes.sql(r#"SELECT interlock.submit('sync', '["shop:1"]', key => 'fourth', options => '{"colour": 1}')"#);
    let (fourth, _) = outcome(&nodes, "fourth").await;
    assert_eq!(fourth["problem"]["code"], "unknown_field", "{fourth}");

    // A transaction that is rolled back submitted nothing; one that commits late is not forgotten.
    nodes.sql("BEGIN; SELECT interlock.submit('sync', '[\"shop:2\"]', key => 'never'); ROLLBACK");
    let late = nodes.sql_later(
        "BEGIN; SELECT interlock.submit('sync', '[\"shop:3\"]', key => 'late'); SELECT pg_sleep(2); COMMIT",
    );
    for number in 0..5 {
        let early = format!("early {number}");
        nodes.sql(&format!(
            "SELECT interlock.submit('sync', '[\"shop:4\"]', key => '{early}')"
        ));
        outcome(&nodes, &early).await;
    }
    late.join().unwrap();
    let (late, took) = outcome(&nodes, "late").await;
    assert_eq!(late["status"], 202);
    assert!(took < WITHIN, "{took:?}");
    // Nodes that lost their connections, and so the notifications, find it all the same.
    nodes.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'interlock'");
    nodes.sql("SELECT interlock.submit('sync', '[\"shop:5\"]', key => 'unheard')");
    let (unheard, _) = outcome(&nodes, "unheard").await;
    assert_eq!(unheard["status"], 202, "{unheard}");
    assert_eq!(nodes.sql("SELECT interlock.outcome('never')"), "");
    assert_eq!(nodes.sql("SELECT count(*) FROM interlock.inbox"), "0");
}

#[tokio::test]
async fn each_submission_is_consumed_once_while_nodes_are_killed() {
    let mut nodes = Nodes::start().await;
    let client = nodes.client_of_all();
    let policy = KindPolicy::default();
    client.kinds().set("sync", &policy).await.unwrap();
    let many = |from: usize, to: usize| {
        format!(
            "DO $$ BEGIN FOR i IN {from}..{to} LOOP
                PERFORM interlock.submit('sync', '[\"shop:1\"]', key => 'many ' || i); COMMIT;
            END LOOP; END $$"
        )
    };
    for round in 0..3 {
        let submitting = nodes.sql_later(&many(round * 200 + 1, round * 200 + 200));
        tokio::time::sleep(Duration::from_millis(150)).await;
        let owner = nodes.owner("default").await;
        nodes.end(owner, "KILL");
        submitting.join().unwrap();
        nodes.begin(owner);
        nodes.wait_for(3).await;
    }
    for number in 1..=600 {
        let (outcome, _) = outcome(&nodes, &format!("many {number}")).await;
        assert!(outcome["report"]["task"].is_u64(), "{outcome}");
    }
    assert_eq!(nodes.sql("SELECT count(*) FROM interlock.inbox"), "0");
    let different = "SELECT count(DISTINCT outcome->'report'->>'task') FROM interlock.outcomes";
    assert_eq!(nodes.sql(different), "600");
    assert_eq!(tasks(&nodes).await, 600);
}

/// As docs/postgresql.md has it.
mod as_documented {
    use serde_json::json;
    use tokio_postgres::{Client, Error};

    pub(super) async fn rename(client: &mut Client, id: i64, name: &str) -> Result<String, Error> {
        let order = client.transaction().await?;
        order
            .execute("UPDATE shop SET name = $1 WHERE id = $2", &[&name, &id])
            .await?;
        let (resources, payload) = (json!([format!("shop:{id}")]), json!({"full": true}));
        let submitted = order
            .query_one(
                "SELECT interlock.submit('sync', $1::text::jsonb, $2::text::jsonb, key => $3)",
                &[
                    &resources.to_string(),
                    &payload.to_string(),
                    &format!("rename {id} to {name}"),
                ],
            )
            .await?;
        order.commit().await?;
        Ok(submitted.get(0))
    }

    /// What became of it; none while it is pending.
    pub(super) async fn outcome(client: &Client, key: &str) -> Result<Option<String>, Error> {
        let found = client
            .query_one("SELECT interlock.outcome($1)::text", &[&key])
            .await?;
        Ok(found.get(0))
    }
}

#[tokio::test]
async fn an_application_submits_with_its_own_change_by_its_own_role() {
    let nodes = Nodes::start().await;
    let kinds = nodes.client_of_all();
    let policy = KindPolicy::default();
    kinds.kinds().set("sync", &policy).await.unwrap();
    nodes.sql(
        "DROP ROLE IF EXISTS shopkeeper; CREATE ROLE shopkeeper LOGIN;
        CREATE TABLE shop (id bigint PRIMARY KEY, name text); INSERT INTO shop VALUES (42, 'old');
        GRANT ALL ON shop TO shopkeeper;
        GRANT USAGE ON SCHEMA interlock TO shopkeeper;
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA interlock TO shopkeeper",
    );
    let url = nodes.url().replace("interlock@", "shopkeeper@");
    let (mut client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
        .await
        .unwrap();
    let _driven = tokio::spawn(connection);
    let key = as_documented::rename(&mut client, 42, "new").await.unwrap();
    let begun = Instant::now();
    let outcome = loop {
        if let Some(outcome) = as_documented::outcome(&client, &key).await.unwrap() {
            break outcome;
        }
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let outcome: Value = serde_json::from_str(&outcome).unwrap();
    assert_eq!(outcome["report"]["verdict"], "accepted", "{outcome}");
    assert_eq!(nodes.sql("SELECT name FROM shop"), "new");
    let tables = client.query("SELECT * FROM interlock.tasks", &[]).await;
    assert!(tables.is_err(), "no right to any table is needed or given");
}
