-- A store as it was written when the tables had version 2.
PRAGMA application_id = 1231840107;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE failure_resources (
    namespace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    error TEXT NOT NULL,
    resource TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, error, resource)
) STRICT, WITHOUT ROWID;
INSERT INTO "failure_resources" VALUES(1,'sync','boom','shop:1',3);
CREATE TABLE failures (
    namespace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    error TEXT NOT NULL,
    count INTEGER NOT NULL,
    resources INTEGER NOT NULL,
    last_task INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, error)
) STRICT, WITHOUT ROWID;
INSERT INTO "failures" VALUES(1,'sync','boom',3,1,5);
CREATE TABLE history (
    namespace INTEGER NOT NULL,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    resources TEXT NOT NULL,
    submitted_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    worker TEXT,
    groups TEXT NOT NULL,
    schedule TEXT,
    parent INTEGER,
    tags TEXT NOT NULL,
    error TEXT,
    aliases TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
INSERT INTO "history" VALUES(1,3,'sync','failed','shop:1',10,20,'w1','','nightly',2,'red','boom','103',9223372036854775807,X'010203',-3845939527964024198);
INSERT INTO "history" VALUES(1,4,'sync','failed','shop:1',10,20,'w1','0','nightly',2,'red','boom','104',9223372036854775807,X'010203',616279277047046422);
INSERT INTO "history" VALUES(1,5,'sync','failed','shop:1',10,20,'w1','70','nightly',2,'red','boom','105',9223372036854775807,X'010203',-8538527769424287890);
CREATE TABLE history_aliases (
    namespace INTEGER NOT NULL,
    alias INTEGER NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, alias, task)
) STRICT, WITHOUT ROWID;
INSERT INTO "history_aliases" VALUES(1,103,3);
INSERT INTO "history_aliases" VALUES(1,104,4);
INSERT INTO "history_aliases" VALUES(1,105,5);
CREATE TABLE history_groups (
    namespace INTEGER NOT NULL,
    "group" INTEGER NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, "group", task)
) STRICT, WITHOUT ROWID;
INSERT INTO "history_groups" VALUES(1,0,4);
INSERT INTO "history_groups" VALUES(1,70,5);
CREATE TABLE history_resources (
    namespace INTEGER NOT NULL,
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, resource, kind, outcome, task)
) STRICT, WITHOUT ROWID;
INSERT INTO "history_resources" VALUES(1,'shop:1','sync','failed',3);
INSERT INTO "history_resources" VALUES(1,'shop:1','sync','failed',4);
INSERT INTO "history_resources" VALUES(1,'shop:1','sync','failed',5);
CREATE TABLE log (
    namespace INTEGER NOT NULL,
    position INTEGER NOT NULL,
    next INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (namespace, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "log" VALUES(1,1,2,1,X'6576656E74',-3825722443181889595);
CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    log_from INTEGER NOT NULL,
    tasks_before INTEGER NOT NULL,
    rows_count INTEGER NOT NULL,
    rows_sum INTEGER NOT NULL,
    history_count INTEGER NOT NULL,
    history_sum INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
INSERT INTO "namespaces" VALUES(1,'shops',1,0,2,1,0,0,0,3,6678556053368285950,-5302787596743317607);
CREATE TABLE "rows" (
    namespace INTEGER NOT NULL,
    "table" INTEGER NOT NULL,
    "key" BLOB NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE store (
    one INTEGER PRIMARY KEY,
    id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    namespaces_made INTEGER NOT NULL,
    tokens_made INTEGER NOT NULL,
    small_count INTEGER NOT NULL,
    small_sum INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
INSERT INTO "store" VALUES(1,-4743904552403533796,1794841806,0,4,1,0,1,-5302787596743317607,1100953632221401796);
CREATE TABLE tasks (
    namespace INTEGER NOT NULL,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    resources TEXT NOT NULL,
    stage TEXT NOT NULL,
    priority INTEGER NOT NULL,
    submitted_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL,
    hint TEXT NOT NULL,
    namespace INTEGER,
    scopes TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    revoked_ms INTEGER,
    sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tasks_by_id ON tasks (namespace, task);
CREATE UNIQUE INDEX rows_by_key ON "rows" (namespace, "table", "key");
CREATE INDEX failures_by_last ON failures (namespace, last_task);
CREATE UNIQUE INDEX history_by_id ON history (namespace, task);
CREATE INDEX history_by_kind ON history (namespace, kind, outcome, task);
CREATE INDEX history_by_expiry ON history (namespace, expires_ms, task);
CREATE INDEX history_by_schedule ON history (namespace, schedule, task) WHERE schedule IS NOT NULL;
CREATE INDEX history_by_parent ON history (namespace, parent, task) WHERE parent IS NOT NULL;
CREATE INDEX history_by_error ON history (namespace, kind, error, task) WHERE error IS NOT NULL;
COMMIT;
