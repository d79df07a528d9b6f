"""Puts something of everything into an empty server, and prints the configuration that makes requests
hit upon it: dictionaries with its ids, and the header with a token that may do everything."""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1]
SCOPES = ["submit", "work", "read", "operate", "admin"]
token = None


def call(method, path, body=None):
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.read().decode()}")


def submit(kind, resource, **more):
    body = {"kind": kind, "resources": [resource], **more}
    return call("POST", "/v1/tasks", body)["task"]


token = call("POST", "/v1/tokens", {"name": "all", "scopes": SCOPES})["secret"]
call("PUT", "/v1/namespaces/other", {})
call("PUT", "/v1/quotas/hourly", {"limits": ["1000000/1h"]})
# A lease as long as the whole run, so that the sessions stay.
call("PUT", "/v1/kinds/sync", {"lease": "5m", "quotas": [{"quota": "hourly"}]})
call("PUT", "/v1/kinds/delete", {"op": "delete", "lease": "5m"})
submission = {"kind": "sync", "resources": ["shop:9"]}
call("PUT", "/v1/schedules/nightly", {"cron": "0 3 * * *", "submission": submission})
tasks = [submit("sync", f"shop:{number}", payload=[number]) for number in range(8)]
tasks.append(submit("delete", "shop:1"))
items = [{"kind": "sync", "resources": [f"host:{number}"]} for number in range(3)]
group = call("POST", "/v1/groups", {"items": items})["group"]

sessions, runs = [], []
for worker in ["w1", "w2", "w3"]:
    session = call("POST", "/v1/work/register", {"name": worker, "kinds": ["sync"]})["session"]
    take = {"session": session, "number": 1, "max": 3}
    sessions.append(session)
    runs += [run["token"] for run in call("POST", "/v1/work/take", take)["hand_outs"]]
ends = [{"how": "succeed", "result": 1}, {"how": "fail", "error": {"message": "no"}}]
for end, run in zip(ends, runs):
    finish = {"session": sessions[0], "finishes": [{"token": run, **end}]}
    call("POST", "/v1/work/finish", finish)

dictionaries = {
    "tasks": tasks,
    "groups": [group],
    "names": ["sync", "delete", "hourly", "nightly", "w1", "w2", "other", "new"],
    "spares": ["w3", "spare", "other", "new"],
    "resources": ["shop:1", "shop:2", "shop:9", "host:1", "new:1"],
    "codes": ["unknown_kind", "storage_full"],
    "namespaces": ["default"],
    "sessions": sessions,
    "runs": runs,
}
for name, values in dictionaries.items():
    print(f"\n[dictionaries.{name}]\nvalues = {json.dumps(values)}")
print(f'\n[headers]\nAuthorization = "Bearer {token}"')
