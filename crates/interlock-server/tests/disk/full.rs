//! A full disk through the whole server: whoever is refused is told why and that nothing was done,
//! nothing acknowledged is lost, looking still works, and on it goes when there is room.

use crate::client::{Answer, Caller, Running};
use crate::small_disk::SmallDisk;
use interlock_store::{SqliteStore, sqlite};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const SUBMITTERS: u64 = 4;
/// How long anything may take on a busy machine before it counts as not happening.
const AT_MOST: Duration = Duration::from_secs(30);

/// What became of submissions, by the number that each carries in its resource.
#[derive(Default)]
struct Ledger {
    acknowledged: BTreeMap<u64, u64>,
    /// They were told that nothing was done.
    refused: Vec<u64>,
    /// They were told that it is not known.
    unknown: Vec<u64>,
}

impl Ledger {
    fn merge(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.refused.extend(other.refused);
        self.unknown.extend(other.unknown);
    }

    /// Writes down an answer; says whether it was an acknowledgement.
    fn note(&mut self, number: u64, answer: &Answer) -> bool {
        let said = answer.json();
        if answer.status == 202 {
            let task = said["task"].as_u64().expect("a task");
            self.acknowledged.insert(number, task);
            return true;
        }
        assert_eq!(answer.media, "application/problem+json", "{}", answer.text);
        assert_eq!(said["retryable"], true, "{}", answer.text);
        match said["code"].as_str().expect("a code") {
            // Their pages say that nothing was changed.
            "storage_full" | "unavailable" => self.refused.push(number),
            "outcome_unknown" => self.unknown.push(number),
            other => panic!("{other}: {}", answer.text),
        }
        false
    }
}

async fn submit(caller: &Caller, number: u64) -> Answer {
    let payload = "x".repeat(4_000);
    let body =
        format!(r#"{{"kind": "sync", "resources": ["shop:{number}"], "payload": "{payload}"}}"#);
    caller.call("POST", "/v1/tasks", Some(&body)).await
}

/// Submits until several in a row were refused for want of room.
async fn submit_until_full(caller: Caller, lane: u64) -> Ledger {
    let mut ledger = Ledger::default();
    let begun = Instant::now();
    let mut full = 0;
    for number in (0..).map(|step| step * SUBMITTERS + lane) {
        let answer = submit(&caller, number).await;
        ledger.note(number, &answer);
        full += u32::from(answer.text.contains(r#""code":"storage_full""#));
        if full >= 5 {
            return ledger;
        }
        assert!(begun.elapsed() < AT_MOST, "the disk never gets full");
    }
    unreachable!("numbers never end")
}

async fn start(data: &Path) -> Running {
    let store = SqliteStore::open(data).expect("it can be opened");
    // Ends the test if the store is taken for lost: a full disk is no reason.
    Running::on(Box::new(store)).await
}

/// Asks until it is answered with this status.
async fn until(caller: &Caller, path: &str, status: u16) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = caller.call("GET", path, None).await;
        if answer.status == status {
            return answer;
        }
        assert!(begun.elapsed() < AT_MOST, "{path}: {}", answer.text);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Every task that there is, by the number in its resource.
async fn tasks(caller: &Caller) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    let mut path = "/v1/tasks?limit=200".to_owned();
    until(caller, "/v1/status", 200).await;
    loop {
        let page = caller.call("GET", &path, None).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let page = page.json();
        for task in page["items"].as_array().expect("items") {
            let resource = task["resources"][0]["resource"].as_str().expect("one");
            let number = resource.strip_prefix("shop:").expect("a shop");
            let id = task["task"].as_u64().expect("an id");
            let twice = all.insert(number.parse().expect("a number"), id);
            assert_eq!(twice, None, "shop:{number} is there twice");
        }
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/tasks?limit=200&cursor={next}"),
            None => return all,
        }
    }
}

/// What is there is what was acknowledged, and perhaps some of what nobody was sure of.
fn compare(ledger: &Ledger, found: &BTreeMap<u64, u64>) {
    for (number, task) in &ledger.acknowledged {
        assert_eq!(found.get(number), Some(task), "shop:{number} is lost");
    }
    for number in &ledger.refused {
        assert!(!found.contains_key(number), "shop:{number} was refused");
    }
    let sure = found
        .keys()
        .filter(|number| !ledger.unknown.contains(number));
    assert_eq!(sure.count(), ledger.acknowledged.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_nothing_is_falsely_acknowledged_and_on_it_goes_when_there_is_room() {
    let dir = tempfile::tempdir().expect("a directory");
    let disk = SmallDisk::mount(&dir.path().join("small"), 30);
    let data = disk.at.join("data");
    std::fs::write(disk.at.join("spare"), vec![0; 24 << 20]).expect("there is room");
    let running = start(&data).await;
    let made = running
        .caller
        .call("PUT", "/v1/kinds/sync", Some("{}"))
        .await;
    assert_eq!(made.status, 200, "{}", made.text);

    let mut ledger = Ledger::default();
    let mut lanes = JoinSet::new();
    for lane in 0..SUBMITTERS {
        lanes.spawn(submit_until_full(running.caller.clone(), lane));
    }
    for lane in lanes.join_all().await {
        ledger.merge(lane);
    }
    assert!(ledger.acknowledged.len() > 50, "hardly anything had room");

    // Not a byte is left, and still everything can be looked at.
    let ballast = disk.fill();
    let (_, task) = ledger.acknowledged.first_key_value().expect("the first");
    until(&running.caller, &format!("/v1/tasks/{task}"), 200).await;
    compare(&ledger, &tasks(&running.caller).await);
    for number in 1_000_000..1_000_005 {
        let answer = submit(&running.caller, number).await;
        assert!(!ledger.note(number, &answer), "there is no room");
        let health = running.caller.call("GET", "/healthz", None).await;
        assert_eq!(health.status, 200, "{}", health.text);
    }

    std::fs::remove_file(ballast).expect("it is there");
    std::fs::remove_file(disk.at.join("spare")).expect("it is there");
    let begun = Instant::now();
    for number in 2_000_000.. {
        let answer = submit(&running.caller, number).await;
        if ledger.note(number, &answer) {
            break;
        }
        assert!(begun.elapsed() < AT_MOST, "{}", answer.text);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    compare(&ledger, &tasks(&running.caller).await);
    running.stop().await;

    let report = sqlite::verify(&data).expect("it can be read");
    assert!(report.is_whole(), "{report:?}");
    let running = start(&data).await;
    compare(&ledger, &tasks(&running.caller).await);
    let answer = submit(&running.caller, 3_000_000).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    running.stop().await;
    println!(
        "{} acknowledged, {} refused, {} unknown",
        ledger.acknowledged.len(),
        ledger.refused.len(),
        ledger.unknown.len()
    );
}
