
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA older;
CREATE FUNCTION older.begin_epoch() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    AS $$
DECLARE
	first bigint;
BEGIN
	PERFORM FROM state FOR UPDATE;
	UPDATE state SET revision = greatest(revision + (1::bigint << 32), now_micros()), home = server(),
		started = pg_postmaster_start_time(), epoch = epoch + 1
		RETURNING revision INTO first;
	UPDATE state SET floor = first, served = first;
	PERFORM pg_notify('decorum_' || id, first::text) FROM meta;
	RETURN first;
END
$$;
CREATE FUNCTION older.begin_trim() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    AS $$
DECLARE
	s state%ROWTYPE;
BEGIN
	SELECT * INTO s FROM state FOR UPDATE;
	IF s.next_empty THEN
		RETURN false;
	END IF;
	UPDATE state SET floor = greatest(s.floor, (SELECT max(c.revision) FROM changes c WHERE c.slot = (s.slot + 1) % 4 AND NOT c.image));
	RETURN true;
END
$$;
CREATE FUNCTION older.commit_groups(p_patience text, p_origin bigint, p_grp integer[], p_op integer[], p_at bigint[], p_resource text[], p_namespace text[], p_name text[], p_previous bigint[], p_form integer[], p_written bigint[], p_creator text[], p_key_id text[], p_position integer[], p_body bytea[], p_account_grp integer[], p_account text[], p_seen bigint[], OUT o_first bigint[], OUT o_last bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
	s       state%ROWTYPE;
	refused integer[];
	size    bigint;
BEGIN
	IF p_patience <> '' THEN
		PERFORM set_config('lock_timeout', p_patience, true);
	END IF;
	SELECT * INTO s FROM state FOR UPDATE;
	IF s.started <> pg_postmaster_start_time() OR split_part(s.home, '/', 4) <> (SELECT tableoid::text FROM state) THEN
		PERFORM recognize(0);
		SELECT * INTO s FROM state;
	END IF;
	IF s.next_empty AND s.slot_bytes > 0 AND (s.slot_bytes >= s.keep_bytes / 4 OR s.slot_since + s.keep / 2 < clock_timestamp()) THEN
		s.slot := (s.slot + 1) % 4;
		s.slot_after := s.revision;
		s.slot_bytes := 0;
		s.next_empty := false;
		s.slot_since := clock_timestamp();
	END IF;
	SELECT coalesce(array_agg(DISTINCT e.grp), '{}') INTO refused FROM (
		SELECT e.grp FROM unnest(p_grp, p_resource, p_namespace, p_name, p_previous) AS e(grp, resource, namespace, name, previous)
			LEFT JOIN objects o ON o.resource = e.resource AND o.namespace = e.namespace AND o.name = e.name
			WHERE coalesce(o.revision, 0) <> e.previous
		UNION ALL
		SELECT e.grp FROM unnest(p_account_grp, p_account, p_seen) AS e(grp, name, seen)
			JOIN accounts a ON a.name = e.name WHERE a.revision > e.seen
	) e;
	WITH entry AS MATERIALIZED (
		SELECT e.*, s.revision + row_number() OVER (ORDER BY e.ord) AS revision
		FROM unnest(p_grp, p_op, p_at, p_resource, p_namespace, p_name, p_previous, p_form, p_written, p_creator, p_key_id, p_position, p_body)
			WITH ORDINALITY AS e(grp, op, at, resource, namespace, name, previous, form, written, creator, key_id, position, body, ord)
		WHERE e.op > 0 AND e.grp <> ALL (refused)
	), ended AS MATERIALIZED (
		SELECT e.*, min(e.revision) OVER (PARTITION BY e.grp) AS first, max(e.revision) OVER (PARTITION BY e.grp) AS last FROM entry e
	), imaged AS (
		INSERT INTO changes (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		SELECT s.slot, o.revision, true, o.revision, e.at, 0, e.resource, e.namespace, e.name, 0,
			o.form, o.written, o.creator, o.key_id, o.position, o.body
		FROM entry e JOIN objects o ON o.resource = e.resource AND o.namespace = e.namespace AND o.name = e.name
		WHERE o.revision <= s.slot_after
		RETURNING length(body) AS size
	), changed AS (
		INSERT INTO changes (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		SELECT s.slot, e.revision, false, e.last, e.at, p_origin + e.grp, e.resource, e.namespace, e.name, e.previous,
			e.form, e.written, e.creator, e.key_id, e.position, CASE WHEN e.op = 1 THEN e.body END
		FROM ended e
		RETURNING coalesce(length(body), 0) + 100 AS size
	), put AS (
		INSERT INTO objects AS o (resource, namespace, name, revision, form, written, creator, key_id, position, body)
		SELECT e.resource, e.namespace, e.name, e.revision, e.form, e.written, e.creator, e.key_id, e.position, e.body
		FROM entry e WHERE e.op = 1
		ON CONFLICT (resource, namespace, name) DO UPDATE SET revision = excluded.revision, form = excluded.form, written = excluded.written,
			creator = excluded.creator, key_id = excluded.key_id, position = excluded.position, body = excluded.body
	), deleted AS (
		DELETE FROM objects o USING entry e WHERE e.op = 2 AND o.resource = e.resource AND o.namespace = e.namespace AND o.name = e.name
	), charged AS (
		INSERT INTO accounts AS a (name, revision)
		SELECT c.name, max(e.last) FROM unnest(p_account_grp, p_account) AS c(grp, name) JOIN ended e ON e.grp = c.grp GROUP BY c.name
		ON CONFLICT (name) DO UPDATE SET revision = excluded.revision
	), firsts AS (
		SELECT g.grp, coalesce(min(e.first), 0) AS first FROM (SELECT DISTINCT grp FROM unnest(p_grp) AS g(grp)) g
		LEFT JOIN ended e ON e.grp = g.grp GROUP BY g.grp
	)
	SELECT (SELECT array_agg(f.first ORDER BY f.grp) FROM firsts f), s.revision + (SELECT count(*) FROM entry),
		(SELECT coalesce(sum(c.size), 0) FROM changed c) + (SELECT coalesce(sum(i.size), 0) FROM imaged i)
	INTO o_first, o_last, size;
	IF o_last > s.revision THEN
		UPDATE state SET revision = o_last, slot = s.slot, slot_after = s.slot_after, slot_since = s.slot_since,
			slot_bytes = s.slot_bytes + size, next_empty = s.next_empty;
		PERFORM pg_notify('decorum_' || id, o_last::text) FROM meta;
	END IF;
END
$$;
CREATE FUNCTION older.commit_pending() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    AS $$
DECLARE
	done  record;
	micros bigint;
BEGIN
	IF NOT EXISTS (SELECT FROM pending WHERE tx = pg_current_xact_id()) THEN
		RETURN NULL; -- an earlier row of the transaction has fired the trigger
	END IF;
	micros := now_micros();
	WITH gone AS (
		DELETE FROM pending WHERE tx = pg_current_xact_id() RETURNING *
	), mine AS (
		SELECT *, CASE WHEN op = 2 AND previous = 0 THEN 0 ELSE op END AS does FROM gone ORDER BY seq
	), charged AS (
		DELETE FROM pending_accounts WHERE tx = pg_current_xact_id() RETURNING *
	)
	SELECT c.*, m.changes INTO done FROM
		(SELECT bool_or(does > 0) AS changes, array_agg(1 ORDER BY seq) AS grp,
			array_agg(does ORDER BY seq) AS op, array_agg(micros ORDER BY seq) AS at,
			array_agg(resource ORDER BY seq) AS resource, array_agg(namespace ORDER BY seq) AS namespace, array_agg(name ORDER BY seq) AS name,
			array_agg(previous ORDER BY seq) AS previous, array_agg(form ORDER BY seq) AS form, array_agg(written ORDER BY seq) AS written,
			array_agg(creator ORDER BY seq) AS creator, array_agg(key_id ORDER BY seq) AS key_id, array_agg(position ORDER BY seq) AS pos,
			array_agg(coalesce(body, '') ORDER BY seq) AS body FROM mine) m,
		(SELECT coalesce(array_agg(1), '{}') AS grp, coalesce(array_agg(name ORDER BY name), '{}') AS account,
			coalesce(array_agg(seen ORDER BY name), '{}') AS seen FROM charged) a,
		LATERAL commit_groups('', 0, m.grp, m.op, m.at, m.resource, m.namespace, m.name, m.previous,
			m.form, m.written, m.creator, m.key_id, m.pos, m.body, a.grp, a.account, a.seen) c;
	IF done.o_first[1] = 0 AND done.changes THEN
		RAISE EXCEPTION 'an object that the transaction read or wrote has changed meanwhile'
			USING ERRCODE = 'serialization_failure', HINT = 'Repeat the whole transaction.';
	END IF;
	RETURN NULL;
END
$$;
CREATE FUNCTION older.end_trim(p_slot integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    AS $$
DECLARE
	s state%ROWTYPE;
BEGIN
	EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', 'changes_' || p_slot);
	SELECT * INTO s FROM state FOR UPDATE;
	IF s.next_empty OR (s.slot + 1) % 4 <> p_slot THEN
		RETURN; -- another replica has truncated it
	END IF;
	EXECUTE format('TRUNCATE TABLE %I', 'changes_' || p_slot);
	UPDATE state SET next_empty = true;
END
$$;
CREATE FUNCTION older.now_micros() RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'older', 'pg_temp'
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;
CREATE FUNCTION older.recognize(seen bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'older', 'pg_temp'
    AS $$
DECLARE
	s state%ROWTYPE;
BEGIN
	SELECT * INTO s FROM state FOR UPDATE;
	IF s.home <> server() OR s.revision < seen THEN
		PERFORM begin_epoch();
		RETURN false;
	END IF;
	UPDATE state SET started = pg_postmaster_start_time() WHERE started <> pg_postmaster_start_time();
	RETURN true;
END
$$;
CREATE FUNCTION older.server() RETURNS text
    LANGUAGE sql
    SET search_path TO 'older', 'pg_temp'
    AS $$
	SELECT concat_ws('/', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
		(SELECT oid FROM pg_database WHERE datname = current_database()), (SELECT tableoid FROM state))
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE older.accounts (
    name text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE older.changes (
    slot smallint NOT NULL,
    revision bigint NOT NULL,
    image boolean NOT NULL,
    last bigint NOT NULL,
    at bigint NOT NULL,
    origin bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
)
PARTITION BY LIST (slot);
CREATE TABLE older.changes_0 (
    slot smallint NOT NULL,
    revision bigint NOT NULL,
    image boolean NOT NULL,
    last bigint NOT NULL,
    at bigint NOT NULL,
    origin bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
);
CREATE TABLE older.changes_1 (
    slot smallint NOT NULL,
    revision bigint NOT NULL,
    image boolean NOT NULL,
    last bigint NOT NULL,
    at bigint NOT NULL,
    origin bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
);
CREATE TABLE older.changes_2 (
    slot smallint NOT NULL,
    revision bigint NOT NULL,
    image boolean NOT NULL,
    last bigint NOT NULL,
    at bigint NOT NULL,
    origin bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
);
CREATE TABLE older.changes_3 (
    slot smallint NOT NULL,
    revision bigint NOT NULL,
    image boolean NOT NULL,
    last bigint NOT NULL,
    at bigint NOT NULL,
    origin bigint NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
);
CREATE TABLE older.forms (
    resource text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    fingerprint text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE older.meta (
    single boolean DEFAULT true NOT NULL,
    layout integer NOT NULL,
    id text NOT NULL,
    CONSTRAINT meta_single_check CHECK (single)
);
CREATE TABLE older.objects (
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea NOT NULL
)
WITH (toast_tuple_target='8160', fillfactor='60');
CREATE UNLOGGED TABLE older.pending (
    tx xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint NOT NULL,
    op integer NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    previous bigint NOT NULL,
    form integer NOT NULL,
    written bigint NOT NULL,
    creator text NOT NULL,
    key_id text NOT NULL,
    "position" integer NOT NULL,
    body bytea
);
CREATE UNLOGGED TABLE older.pending_accounts (
    tx xid8 DEFAULT pg_current_xact_id() NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    seen bigint NOT NULL
);
ALTER TABLE older.pending ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME older.pending_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE older.state (
    single boolean DEFAULT true NOT NULL,
    revision bigint NOT NULL,
    floor bigint NOT NULL,
    served bigint NOT NULL,
    slot smallint DEFAULT 0 NOT NULL,
    slot_after bigint NOT NULL,
    slot_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    slot_bytes bigint DEFAULT 0 NOT NULL,
    next_empty boolean DEFAULT true NOT NULL,
    keep interval NOT NULL,
    keep_bytes bigint NOT NULL,
    home text NOT NULL,
    started timestamp with time zone NOT NULL,
    epoch integer DEFAULT 1 NOT NULL,
    CONSTRAINT state_single_check CHECK (single)
)
WITH (fillfactor='50');
ALTER TABLE ONLY older.changes ATTACH PARTITION older.changes_0 FOR VALUES IN ('0');
ALTER TABLE ONLY older.changes ATTACH PARTITION older.changes_1 FOR VALUES IN ('1');
ALTER TABLE ONLY older.changes ATTACH PARTITION older.changes_2 FOR VALUES IN ('2');
ALTER TABLE ONLY older.changes ATTACH PARTITION older.changes_3 FOR VALUES IN ('3');
COPY older.accounts (name, revision) FROM stdin;
\.
COPY older.changes_0 (slot, revision, image, last, at, origin, resource, namespace, name, previous, form, written, creator, key_id, "position", body) FROM stdin;
0	1795706668658406	f	1795706668658406	1795706668858666	58355288598875136	notes.example.com	default	plain	0	0	1795706668858666			83	\\x7b226b696e64223a224e6f7465222c226d65746164617461223a7b226e616d65223a22706c61696e222c226e616d657370616365223a2264656661756c74222c227265736f7572636556657273696f6e223a22227d2c2274657874223a2230227d
0	1795706668658407	f	1795706668658407	1795706668879736	629005941498579456	notes.example.com	default	plain	1795706668658406	0	1795706668879736			83	\\x7b226b696e64223a224e6f7465222c226d65746164617461223a7b226e616d65223a22706c61696e222c226e616d657370616365223a2264656661756c74222c227265736f7572636556657273696f6e223a22227d2c2274657874223a2231227d
0	1795706668658408	f	1795706668658408	1795706668892032	100741884545687040	notes.example.com	default	plain	1795706668658407	0	1795706668892032			83	\\x7b226b696e64223a224e6f7465222c226d65746164617461223a7b226e616d65223a22706c61696e222c226e616d657370616365223a2264656661756c74222c227265736f7572636556657273696f6e223a22227d2c2274657874223a2232227d
0	1795706668658409	f	1795706668658409	1795706668927972	1698936263105708544	notes.example.com	default	deleted	0	0	1795706668927972			85	\\x7b226b696e64223a224e6f7465222c226d65746164617461223a7b226e616d65223a2264656c65746564222c226e616d657370616365223a2264656661756c74222c227265736f7572636556657273696f6e223a22227d2c2274657874223a2231227d
0	1795706668658410	f	1795706668658410	1795706668951881	428044423957791232	notes.example.com	default	deleted	1795706668658409	0	0			0	\N
0	1795706668658411	f	1795706668658411	1795706669348741	1872680938517077504	notes.example.com	default	sealed	0	0	1795706669348741		2026	84	\\x17e2a0e33852c708ac55b4449b1fbf6af10597c9579278db18fdee5fd8fe06199dedb75e7b289cea7cd6809df5eca857b9fb88e4a7b617d2f3a87dbe43b9a4b734a8a7b662b16a62bd6cc59e361ddc800117ea552e163bcd98632d4bacb3fa51ae6d0502741fa9d3b4c527ab12dbe8768586d5a457921c72f4fe0576450ff582c81644
\.
COPY older.changes_1 (slot, revision, image, last, at, origin, resource, namespace, name, previous, form, written, creator, key_id, "position", body) FROM stdin;
\.
COPY older.changes_2 (slot, revision, image, last, at, origin, resource, namespace, name, previous, form, written, creator, key_id, "position", body) FROM stdin;
\.
COPY older.changes_3 (slot, revision, image, last, at, origin, resource, namespace, name, previous, form, written, creator, key_id, "position", body) FROM stdin;
\.
COPY older.forms (resource, number, fingerprint) FROM stdin;
notes.example.com	0	1
\.
COPY older.meta (single, layout, id) FROM stdin;
t	2	ee54c61eaf20ae010f207724256c38ee
\.
COPY older.objects (resource, namespace, name, revision, form, written, creator, key_id, "position", body) FROM stdin;
notes.example.com	default	plain	1795706668658408	0	1795706668892032			83	\\x7b226b696e64223a224e6f7465222c226d65746164617461223a7b226e616d65223a22706c61696e222c226e616d657370616365223a2264656661756c74222c227265736f7572636556657273696f6e223a22227d2c2274657874223a2232227d
notes.example.com	default	sealed	1795706668658411	0	1795706669348741		2026	84	\\x17e2a0e33852c708ac55b4449b1fbf6af10597c9579278db18fdee5fd8fe06199dedb75e7b289cea7cd6809df5eca857b9fb88e4a7b617d2f3a87dbe43b9a4b734a8a7b662b16a62bd6cc59e361ddc800117ea552e163bcd98632d4bacb3fa51ae6d0502741fa9d3b4c527ab12dbe8768586d5a457921c72f4fe0576450ff582c81644
\.
COPY older.pending (tx, seq, op, resource, namespace, name, previous, form, written, creator, key_id, "position", body) FROM stdin;
\.
COPY older.pending_accounts (tx, name, seen) FROM stdin;
\.
COPY older.state (single, revision, floor, served, slot, slot_after, slot_since, slot_bytes, next_empty, keep, keep_bytes, home, started, epoch) FROM stdin;
t	1795706668658411	1795706668658405	1795706668658405	0	1795706668658405	2026-11-26 15:24:28.673179+00	1121	t	00:05:00	268435456	7712501362885670422/00000001/5/16394	2026-11-26 15:24:28.153227+00	1
\.
SELECT pg_catalog.setval('older.pending_seq_seq', 1, false);
ALTER TABLE ONLY older.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (name);
ALTER TABLE ONLY older.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (revision, slot);
ALTER TABLE ONLY older.changes_0
    ADD CONSTRAINT changes_0_pkey PRIMARY KEY (revision, slot);
ALTER TABLE ONLY older.changes_1
    ADD CONSTRAINT changes_1_pkey PRIMARY KEY (revision, slot);
ALTER TABLE ONLY older.changes_2
    ADD CONSTRAINT changes_2_pkey PRIMARY KEY (revision, slot);
ALTER TABLE ONLY older.changes_3
    ADD CONSTRAINT changes_3_pkey PRIMARY KEY (revision, slot);
ALTER TABLE ONLY older.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (resource, number);
ALTER TABLE ONLY older.forms
    ADD CONSTRAINT forms_resource_fingerprint_key UNIQUE (resource, fingerprint);
ALTER TABLE ONLY older.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (single);
ALTER TABLE ONLY older.objects
    ADD CONSTRAINT objects_pkey PRIMARY KEY (resource, namespace, name);
ALTER TABLE ONLY older.pending_accounts
    ADD CONSTRAINT pending_accounts_pkey PRIMARY KEY (tx, name);
ALTER TABLE ONLY older.pending
    ADD CONSTRAINT pending_pkey PRIMARY KEY (tx, resource, namespace, name);
ALTER TABLE ONLY older.state
    ADD CONSTRAINT state_pkey PRIMARY KEY (single);
ALTER INDEX older.changes_pkey ATTACH PARTITION older.changes_0_pkey;
ALTER INDEX older.changes_pkey ATTACH PARTITION older.changes_1_pkey;
ALTER INDEX older.changes_pkey ATTACH PARTITION older.changes_2_pkey;
ALTER INDEX older.changes_pkey ATTACH PARTITION older.changes_3_pkey;
CREATE CONSTRAINT TRIGGER commit_pending AFTER INSERT ON older.pending DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION older.commit_pending();
