-- A commit names the layout that its program knows. So the commits of an older program fail after an upgrade.
ALTER TABLE state ADD COLUMN layout integer NOT NULL DEFAULT 0; -- that of meta
ALTER TABLE pending ADD COLUMN layout integer NOT NULL DEFAULT 0;
ALTER TABLE state ADD COLUMN listener bigint; -- the only replica that listens, or NULL if there may be several
DROP FUNCTION commit_one;
DROP FUNCTION commit_groups;

-- join_listeners makes all later commits of others notify the replica that has called LISTEN on this connection, and whose random number is
-- p_listener. A commit names the number of its own replica, if that listens. So only a replica that listens alone does not notify itself.
-- The replicas that listen share a lock. They count each other while they hold the row of state, so whoever joins later counts all who joined before.
CREATE FUNCTION join_listeners(p_channel text, p_listener bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	lock   bigint := hashtextextended(p_channel, 0);
	joined integer;
BEGIN
	PERFORM pg_advisory_lock_shared(lock);
	PERFORM FROM state FOR UPDATE;
	SELECT count(*) INTO joined FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
		AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
		AND (l.classid::bigint << 32 | l.objid::bigint) = lock;
	UPDATE state SET listener = CASE joined WHEN 1 THEN p_listener END;
END
$$;

-- commit_one commits one change, and takes half the time of commit_groups. It returns the revision. It returns NULL and changes nothing if the
-- commit needs commit_groups: because the object or the layout has changed, because the server was started again, or because the history moves on to
-- another partition, needs an image, or must be trimmed.
--
-- It names the partitions, because finding the one of a row takes as long as an INSERT.
--
-- Its notification carries the change if Postgres allows so many bytes, unless a listener has left more than 80 MB of notifications unread:
-- Postgres keeps them until all have read them, and refuses commits at 8 GB. The texts are in base64, whatever the encoding of the database.
CREATE FUNCTION commit_one(p_layout integer, p_patience text, p_channel text, p_listener bigint, p_origin bigint, p_op integer, p_at bigint,
	p_resource text, p_namespace text, p_name text, p_previous bigint,
	p_form integer, p_written bigint, p_creator text, p_key_id text, p_position integer, p_body bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	o_revision bigint;
	s_slot     smallint;
	s_listener bigint;
	s_copy     oid; -- differs between two copies of the store in one database, whose replicas have the same channel
	stored     bytea := CASE WHEN p_op = 1 THEN p_body END;
	size       bigint := coalesce(length(stored), 0) + 100;
	payload    text;
	ignored    text;
BEGIN
	ignored := set_config('lock_timeout', p_patience, true); -- faster than PERFORM, which runs a query
	UPDATE state s SET revision = s.revision + 1, slot_bytes = s.slot_bytes + size
		WHERE s.layout = p_layout AND s.started = pg_postmaster_start_time() AND split_part(s.home, '/', 4) = s.tableoid::text
			AND (p_previous = 0 OR p_previous > s.slot_after) AND s.next_empty
			AND (s.slot_bytes = 0 OR s.slot_bytes < s.keep_bytes / 4 AND s.slot_since + s.keep / 2 >= clock_timestamp())
		RETURNING s.revision, s.slot, s.listener, s.tableoid INTO o_revision, s_slot, s_listener, s_copy;
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;

	IF p_op = 2 THEN
		DELETE FROM objects o
		WHERE o.resource = p_resource AND o.namespace = p_namespace AND o.name = p_name AND o.revision = p_previous;
	ELSIF p_previous = 0 THEN
		INSERT INTO objects (resource, namespace, name, revision, form, written, creator, key_id, position, body)
		VALUES (p_resource, p_namespace, p_name, o_revision, p_form, p_written, p_creator, p_key_id, p_position, stored)
		ON CONFLICT DO NOTHING;
	ELSE
		UPDATE objects o SET revision = o_revision, form = p_form, written = p_written, creator = p_creator, key_id = p_key_id,
			position = p_position, body = stored
		WHERE o.resource = p_resource AND o.namespace = p_namespace AND o.name = p_name AND o.revision = p_previous;
	END IF;
	IF NOT FOUND THEN
		UPDATE state s SET revision = s.revision - 1, slot_bytes = s.slot_bytes - size;
		RETURN NULL;
	END IF;

	IF s_slot = 0 THEN
		INSERT INTO changes_0 (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		VALUES (0, o_revision, false, o_revision, p_at, p_origin, p_resource, p_namespace, p_name, p_previous,
			p_form, p_written, p_creator, p_key_id, p_position, stored);
	ELSIF s_slot = 1 THEN
		INSERT INTO changes_1 (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		VALUES (1, o_revision, false, o_revision, p_at, p_origin, p_resource, p_namespace, p_name, p_previous,
			p_form, p_written, p_creator, p_key_id, p_position, stored);
	ELSIF s_slot = 2 THEN
		INSERT INTO changes_2 (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		VALUES (2, o_revision, false, o_revision, p_at, p_origin, p_resource, p_namespace, p_name, p_previous,
			p_form, p_written, p_creator, p_key_id, p_position, stored);
	ELSIF s_slot = 3 THEN
		INSERT INTO changes_3 (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		VALUES (3, o_revision, false, o_revision, p_at, p_origin, p_resource, p_namespace, p_name, p_previous,
			p_form, p_written, p_creator, p_key_id, p_position, stored);
	END IF;
	IF s_listener = p_listener THEN
		RETURN o_revision;
	END IF;
	payload := o_revision::text;
	IF size < 6000 AND pg_notification_queue_usage() < 0.01 THEN
		payload := concat_ws(' ', payload, s_copy, p_at, p_origin, p_form, p_position, p_written,
			encode(convert_to(p_resource, 'UTF8'), 'base64'), encode(convert_to(p_namespace, 'UTF8'), 'base64'),
			encode(convert_to(p_name, 'UTF8'), 'base64'), encode(convert_to(p_creator, 'UTF8'), 'base64'),
			encode(convert_to(p_key_id, 'UTF8'), 'base64'), encode(coalesce(stored, ''), 'base64'));
		IF octet_length(payload) > 7900 THEN
			payload := o_revision::text;
		END IF;
	END IF;
	ignored := pg_notify(p_channel, payload);
	RETURN o_revision;
END
$$;

-- commit_groups commits groups of changes. The arrays have an element for each entry, in the order of the groups. Two groups never concern
-- the same object. It returns the first revision of each group, or 0 for a group that was refused because an object or an account has
-- changed, and the last revision.
--
-- The table of objects may be empty when a session plans these statements, and large when it runs them. So they must use the indexes. Without sequential scans, even small plans
-- look expensive, and would be compiled.
CREATE FUNCTION commit_groups(p_layout integer, p_patience text, p_origin bigint, p_grp integer[], p_op integer[], p_at bigint[],
	p_resource text[], p_namespace text[], p_name text[], p_previous bigint[],
	p_form integer[], p_written bigint[], p_creator text[], p_key_id text[], p_position integer[], p_body bytea[],
	p_account_grp integer[], p_account text[], p_seen bigint[], OUT o_first bigint[], OUT o_last bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	s       state%ROWTYPE;
	refused integer[];
	size    bigint;
BEGIN
	IF p_patience <> '' THEN
		PERFORM set_config('lock_timeout', p_patience, true);
	END IF;
	SELECT * INTO s FROM state FOR UPDATE;
	IF s.layout <> p_layout THEN
		RAISE EXCEPTION 'the schema has layout %, and this program knows %', s.layout, p_layout USING ERRCODE = 'DC001';
	END IF;
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

-- commit_pending commits what a transaction of the host has written, when this transaction commits.
CREATE OR REPLACE FUNCTION commit_pending() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
		(SELECT min(layout) AS layout, bool_or(does > 0) AS changes, array_agg(1 ORDER BY seq) AS grp,
			array_agg(does ORDER BY seq) AS op, array_agg(micros ORDER BY seq) AS at,
			array_agg(resource ORDER BY seq) AS resource, array_agg(namespace ORDER BY seq) AS namespace, array_agg(name ORDER BY seq) AS name,
			array_agg(previous ORDER BY seq) AS previous, array_agg(form ORDER BY seq) AS form, array_agg(written ORDER BY seq) AS written,
			array_agg(creator ORDER BY seq) AS creator, array_agg(key_id ORDER BY seq) AS key_id, array_agg(position ORDER BY seq) AS pos,
			array_agg(coalesce(body, '') ORDER BY seq) AS body FROM mine) m,
		(SELECT coalesce(array_agg(1), '{}') AS grp, coalesce(array_agg(name ORDER BY name), '{}') AS account,
			coalesce(array_agg(seen ORDER BY name), '{}') AS seen FROM charged) a,
		LATERAL commit_groups(m.layout, '', 0, m.grp, m.op, m.at, m.resource, m.namespace, m.name, m.previous,
			m.form, m.written, m.creator, m.key_id, m.pos, m.body, a.grp, a.account, a.seen) c;
	IF done.o_first[1] = 0 AND done.changes THEN
		RAISE EXCEPTION 'an object that the transaction read or wrote has changed meanwhile'
			USING ERRCODE = 'serialization_failure', HINT = 'Repeat the whole transaction.';
	END IF;
	RETURN NULL;
END
$$;
