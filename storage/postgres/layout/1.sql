-- The layout of a store. It is applied with search_path set to the schema of the store, which the functions then keep.

CREATE TABLE meta (
	single boolean PRIMARY KEY DEFAULT true CHECK (single),
	layout integer NOT NULL,
	id     text NOT NULL
);

-- The row of state orders the commits: whoever assigns a revision holds its lock until the commit ends.
CREATE TABLE state (
	single     boolean PRIMARY KEY DEFAULT true CHECK (single),
	revision   bigint NOT NULL,              -- the last revision
	floor      bigint NOT NULL,              -- the history is complete above this revision
	served     bigint NOT NULL,              -- a replica that opens serves no history up to this revision
	slot       smallint NOT NULL DEFAULT 0,  -- the partition of changes that receives the next change
	slot_after bigint NOT NULL,              -- the last revision before this partition
	slot_since timestamptz NOT NULL DEFAULT clock_timestamp(),
	slot_bytes bigint NOT NULL DEFAULT 0,
	next_empty boolean NOT NULL DEFAULT true,
	keep       interval NOT NULL,            -- how long the history keeps a change
	keep_bytes bigint NOT NULL,              -- about how many bytes the history may have
	home       text NOT NULL,                -- the server on which the epoch began
	started    timestamptz NOT NULL,         -- when the server started that was last recognized as home
	epoch      integer NOT NULL DEFAULT 1
) WITH (fillfactor = 50);

CREATE TABLE forms (
	resource    text COLLATE "C" NOT NULL,
	number      integer NOT NULL,
	fingerprint text COLLATE "C" NOT NULL,
	PRIMARY KEY (resource, number),
	UNIQUE (resource, fingerprint)
);

CREATE TABLE accounts (
	name     text COLLATE "C" PRIMARY KEY,
	revision bigint NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE objects (
	resource  text COLLATE "C" NOT NULL,
	namespace text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL,
	revision  bigint NOT NULL,
	form      integer NOT NULL,
	written   bigint NOT NULL,  -- microseconds since 1970
	creator   text NOT NULL,
	key_id    text NOT NULL,    -- the key that sealed the body; empty for plain JSON
	position  integer NOT NULL, -- where the resourceVersion belongs in the JSON
	body      bytea NOT NULL,   -- the JSON with an empty resourceVersion, or the sealed JSON
	PRIMARY KEY (resource, namespace, name)
) WITH (fillfactor = 80);

-- The columns after name are those of the object after the change. A deletion has no body. An image is the state before the first change of
-- an object in this partition, if that state is from an earlier partition, which may be truncated first.
CREATE TABLE changes (
	slot      smallint NOT NULL,
	revision  bigint NOT NULL,
	image     boolean NOT NULL,
	last      bigint NOT NULL, -- the last revision of the group
	at        bigint NOT NULL, -- when the group was proposed, in microseconds since 1970
	origin    bigint NOT NULL, -- tells a replica its own commits
	resource  text COLLATE "C" NOT NULL,
	namespace text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL,
	previous  bigint NOT NULL, -- the revision of the state before; 0 if there was no object
	form      integer NOT NULL,
	written   bigint NOT NULL,
	creator   text NOT NULL,
	key_id    text NOT NULL,
	position  integer NOT NULL,
	body      bytea,
	PRIMARY KEY (revision, slot)
) PARTITION BY LIST (slot);

CREATE TABLE changes_0 PARTITION OF changes FOR VALUES IN (0);
CREATE TABLE changes_1 PARTITION OF changes FOR VALUES IN (1);
CREATE TABLE changes_2 PARTITION OF changes FOR VALUES IN (2);
CREATE TABLE changes_3 PARTITION OF changes FOR VALUES IN (3);

-- The writes of transactions that are still open. They never survive a commit, so they need no log.
CREATE UNLOGGED TABLE pending (
	tx        xid8 NOT NULL DEFAULT pg_current_xact_id(),
	seq       bigint GENERATED ALWAYS AS IDENTITY,
	op        integer NOT NULL, -- 0: only compare, 1: put, 2: delete
	resource  text COLLATE "C" NOT NULL,
	namespace text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL,
	previous  bigint NOT NULL,
	form      integer NOT NULL,
	written   bigint NOT NULL,
	creator   text NOT NULL,
	key_id    text NOT NULL,
	position  integer NOT NULL,
	body      bytea,
	PRIMARY KEY (tx, resource, namespace, name)
);

CREATE UNLOGGED TABLE pending_accounts (
	tx   xid8 NOT NULL DEFAULT pg_current_xact_id(),
	name text COLLATE "C" NOT NULL,
	seen bigint NOT NULL,
	PRIMARY KEY (tx, name)
);

-- now_micros is the clock of the server in microseconds since 1970.
CREATE FUNCTION now_micros() RETURNS bigint LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- server names this copy of the store: it differs after a promotion, a recovery to a point in time, and a restore of a dump.
CREATE FUNCTION server() RETURNS text LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
	SELECT concat_ws('/', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
		(SELECT oid FROM pg_database WHERE datname = current_database()), (SELECT tableoid FROM state))
$$;

-- begin_epoch gives up all history. The revisions continue above every one that anybody can have seen.
CREATE FUNCTION begin_epoch() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- recognize returns whether this server has the store of which seen was the last revision. If not, it begins a new epoch.
CREATE FUNCTION recognize(seen bigint) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- commit_groups commits groups of changes. The arrays have an element for each entry, in the order of the groups. Two groups never concern
-- the same object. It returns the first revision of each group, or 0 for a group that was refused because an object or an account has
-- changed, and the last revision.
--
-- The table of objects may be empty when a session plans these statements, and large when it runs them. So they must use the indexes. Without sequential scans, even small plans
-- look expensive, and would be compiled.
CREATE FUNCTION commit_groups(p_patience text, p_origin bigint, p_grp integer[], p_op integer[], p_at bigint[],
	p_resource text[], p_namespace text[], p_name text[], p_previous bigint[],
	p_form integer[], p_written bigint[], p_creator text[], p_key_id text[], p_position integer[], p_body bytea[],
	p_account_grp integer[], p_account text[], p_seen bigint[], OUT o_first bigint[], OUT o_last bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
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

-- begin_trim gives up the history in the oldest partition, and returns whether it should be truncated.
CREATE FUNCTION begin_trim() RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- end_trim truncates the oldest partition. It must be another transaction than begin_trim: a reader that misses the changes then sees that
-- they were given up.
CREATE FUNCTION end_trim(p_slot integer) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- commit_pending commits what a transaction of the host has written, when this transaction commits.
CREATE FUNCTION commit_pending() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

CREATE CONSTRAINT TRIGGER commit_pending AFTER INSERT ON pending DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION commit_pending();
