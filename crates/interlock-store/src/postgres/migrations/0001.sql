-- Version 1: everything. All numbers that are unsigned elsewhere stand in signed columns; sums use
-- all 64 bits. Text is compared byte by byte. A text that holds U+0000, which PostgreSQL can't, has
-- U+0001 U+0001 in its place, and U+0001 U+0002 for U+0001.

-- One row: the store itself. `small_count` and `small_sum` cover tokens and settings; `place` says
-- which cluster, timeline, database and table this is, by which a restored copy is known.
CREATE TABLE interlock.store (
    one boolean PRIMARY KEY CHECK (one),
    id bigint NOT NULL,
    generation bigint NOT NULL,
    place text NOT NULL,
    namespaces_made integer NOT NULL,
    tokens_made bigint NOT NULL,
    small_count bigint NOT NULL,
    small_sum bigint NOT NULL,
    sum bigint NOT NULL
);

-- A row for each restore that somebody told of. The highest `id` is part of `place`.
CREATE TABLE interlock.restores (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    told_by name NOT NULL DEFAULT session_user
);

-- `position`: the rows are the fold of the log before it. `log_from`: the log begins there.
-- `tasks_before`: rows of `tasks` from this id on belong to a checkpoint that is not complete.
CREATE TABLE interlock.namespaces (
    id integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    created_ms bigint NOT NULL,
    removed boolean NOT NULL,
    position bigint NOT NULL,
    log_from bigint NOT NULL,
    tasks_before bigint NOT NULL,
    rows_count bigint NOT NULL,
    rows_sum bigint NOT NULL,
    history_count bigint NOT NULL,
    history_sum bigint NOT NULL,
    sum bigint NOT NULL
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX namespaces_by_name ON interlock.namespaces (name) WHERE NOT removed;

-- The nodes, each start of one anew. One that has `ended`, or whose lease is over, is dead for good.
CREATE TABLE interlock.nodes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    started timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease interval NOT NULL,
    lease_until timestamptz NOT NULL,
    ended boolean NOT NULL DEFAULT false,
    draining boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- Who owns a namespace. Every write of a namespace locks its row here and asserts the epoch; the
-- epoch grows with every change of the owner. `wanted`: where somebody asked it to be moved.
CREATE TABLE interlock.owners (
    namespace integer PRIMARY KEY REFERENCES interlock.namespaces (id),
    node bigint REFERENCES interlock.nodes (id),
    epoch bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    wanted bigint REFERENCES interlock.nodes (id)
) WITH (fillfactor = 50);
CREATE INDEX owners_by_node ON interlock.owners (node);
CREATE INDEX owners_by_wanted ON interlock.owners (wanted);

CREATE TABLE interlock.tokens (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    namespace integer,
    scopes text NOT NULL,
    created_ms bigint NOT NULL,
    revoked_ms bigint,
    sum bigint NOT NULL
);

CREATE TABLE interlock.settings (
    name text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE interlock.log (
    namespace integer NOT NULL,
    position bigint NOT NULL,
    next bigint NOT NULL,
    at_ms bigint NOT NULL,
    bytes bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (namespace, position)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.5);
-- Written once and read rarely: not worth the time to compress it.
ALTER TABLE interlock.log ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE interlock.tasks (
    namespace integer NOT NULL,
    task bigint NOT NULL,
    kind text NOT NULL,
    resources text NOT NULL,
    stage text NOT NULL,
    priority smallint NOT NULL,
    submitted_ms bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (namespace, task)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE interlock.rows (
    namespace integer NOT NULL,
    "table" smallint NOT NULL,
    key bytea NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (namespace, "table", key)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- `error_key` is the error, shortened if it is too long for an index.
CREATE TABLE interlock.history (
    namespace integer NOT NULL,
    task bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    resources text NOT NULL,
    submitted_ms bigint NOT NULL,
    ended_ms bigint NOT NULL,
    worker text,
    groups text NOT NULL,
    schedule text COLLATE "C",
    parent bigint,
    tags text NOT NULL,
    error text,
    error_key text COLLATE "C",
    aliases text NOT NULL,
    expires_ms bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (namespace, task)
);
CREATE INDEX history_by_kind ON interlock.history (namespace, kind, outcome, task);
CREATE INDEX history_by_expiry ON interlock.history (namespace, expires_ms, task);
CREATE INDEX history_by_schedule ON interlock.history (namespace, schedule, task)
    WHERE schedule IS NOT NULL;
CREATE INDEX history_by_parent ON interlock.history (namespace, parent, task)
    WHERE parent IS NOT NULL;
CREATE INDEX history_by_error ON interlock.history (namespace, kind, error_key, task)
    WHERE error_key IS NOT NULL;

-- Derived from history from here on.
CREATE TABLE interlock.history_resources (
    namespace integer NOT NULL,
    resource text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    task bigint NOT NULL,
    PRIMARY KEY (namespace, resource, kind, outcome, task)
);

CREATE TABLE interlock.history_groups (
    namespace integer NOT NULL,
    "group" bigint NOT NULL,
    task bigint NOT NULL,
    PRIMARY KEY (namespace, "group", task)
);

CREATE TABLE interlock.history_aliases (
    namespace integer NOT NULL,
    alias bigint NOT NULL,
    task bigint NOT NULL,
    PRIMARY KEY (namespace, alias, task)
);

CREATE TABLE interlock.failures (
    namespace integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    error_key text COLLATE "C" NOT NULL,
    error text NOT NULL,
    count bigint NOT NULL,
    resources bigint NOT NULL,
    last_task bigint NOT NULL,
    PRIMARY KEY (namespace, kind, error_key)
);
CREATE INDEX failures_by_last ON interlock.failures (namespace, last_task);

CREATE TABLE interlock.failure_resources (
    namespace integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    error_key text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (namespace, kind, error_key, resource)
);

-- Submissions from within other people's transactions, until they are consumed.
CREATE TABLE interlock.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace integer NOT NULL REFERENCES interlock.namespaces (id),
    key text COLLATE "C" NOT NULL,
    submission jsonb NOT NULL,
    submitted timestamptz NOT NULL DEFAULT clock_timestamp(),
    submitted_by name NOT NULL DEFAULT session_user
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX inbox_by_namespace ON interlock.inbox (namespace, id);
CREATE UNIQUE INDEX inbox_by_key ON interlock.inbox (namespace, key);

-- What became of them.
CREATE TABLE interlock.outcomes (
    namespace integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    submission jsonb NOT NULL,
    outcome jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, key)
);
CREATE INDEX outcomes_by_age ON interlock.outcomes (at);

-- Submits a task within the caller's transaction: it exists if and only if that commits. `options` has
-- whatever else a submission can have, by the names of the HTTP API. The answer is the key by which
-- the outcome can be read. Repeating a key with the same submission does nothing.
CREATE FUNCTION interlock.submit(
    kind text,
    resources jsonb DEFAULT '[]',
    payload jsonb DEFAULT NULL,
    key text DEFAULT NULL,
    options jsonb DEFAULT '{}',
    namespace text DEFAULT 'default'
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    space integer;
    wanted jsonb;
    known jsonb;
    used text := coalesce(submit.key, gen_random_uuid()::text);
BEGIN
    IF submit.kind IS NULL OR submit.resources IS NULL OR submit.options IS NULL THEN
        RAISE EXCEPTION 'kind, resources and options must not be null'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF jsonb_typeof(submit.resources) <> 'array' OR jsonb_typeof(submit.options) <> 'object' THEN
        RAISE EXCEPTION 'resources must be a JSON array and options a JSON object'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF octet_length(used) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'a key has 1 to 200 bytes' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT n.id INTO space FROM interlock.namespaces n
        WHERE n.name = submit.namespace AND NOT n.removed;
    IF space IS NULL THEN
        RAISE EXCEPTION 'there is no namespace %', quote_literal(submit.namespace)
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'interlock.namespaces lists them';
    END IF;
    wanted := submit.options || jsonb_build_object('kind', submit.kind, 'resources', submit.resources);
    IF submit.payload IS NOT NULL THEN
        wanted := wanted || jsonb_build_object('payload', submit.payload);
    END IF;
    -- The rules themselves remember the key too, so that not even a repetition whose transaction
    -- can't see that the first one was consumed becomes a second task.
    IF submit.key IS NOT NULL THEN
        wanted := wanted || jsonb_build_object('idempotency_key', used);
    END IF;
    IF octet_length(wanted::text) > 2097152 THEN
        RAISE EXCEPTION 'a submission has 2 MiB at most' USING ERRCODE = 'program_limit_exceeded';
    END IF;
    LOOP
        SELECT o.submission INTO known FROM interlock.outcomes o
            WHERE o.namespace = space AND o.key = used;
        IF known IS NULL THEN
            INSERT INTO interlock.inbox (namespace, key, submission) VALUES (space, used, wanted)
                ON CONFLICT DO NOTHING;
            IF FOUND THEN
                PERFORM pg_notify('interlock_inbox', space::text);
                RETURN used;
            END IF;
            SELECT i.submission INTO known FROM interlock.inbox i
                WHERE i.namespace = space AND i.key = used;
        END IF;
        -- Neither: it was consumed in between, and is among the outcomes when we look again.
        IF known = wanted THEN
            RETURN used;
        ELSIF known IS NOT NULL THEN
            RAISE EXCEPTION 'the key % was used for another submission', quote_literal(used)
                USING ERRCODE = 'unique_violation';
        END IF;
    END LOOP;
END
$$;

-- What became of a submission: none while it is pending, or if there never was one of that key.
CREATE FUNCTION interlock.outcome(key text, namespace text DEFAULT 'default') RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT o.outcome FROM interlock.outcomes o JOIN interlock.namespaces n ON n.id = o.namespace
    WHERE n.name = outcome.namespace AND NOT n.removed AND o.key = outcome.key
$$;

-- To be called once after a restore that can't be noticed, such as files copied back by hand, while
-- no node runs: the next opening of the store raises its generation.
CREATE FUNCTION interlock.restored() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$ INSERT INTO interlock.restores DEFAULT VALUES $$;

REVOKE ALL ON FUNCTION interlock.submit(text, jsonb, jsonb, text, jsonb, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION interlock.outcome(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION interlock.restored() FROM PUBLIC;
