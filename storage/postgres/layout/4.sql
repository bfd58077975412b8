-- A change of up to 8 KB stays in a page of its partition, like the object. Compression would cost more time than it saves.
ALTER TABLE changes_0 SET (toast_tuple_target = 8160);
ALTER TABLE changes_1 SET (toast_tuple_target = 8160);
ALTER TABLE changes_2 SET (toast_tuple_target = 8160);
ALTER TABLE changes_3 SET (toast_tuple_target = 8160);

-- commit_one commits one change, and takes half the time of commit_groups. It returns the revision. It returns NULL and changes nothing if the
-- commit needs commit_groups: because the object has changed, because the server was started again, or because the history moves on to
-- another partition, needs an image, or must be trimmed.
--
-- It names the partitions, because finding the one of a row takes as long as an INSERT.
CREATE FUNCTION commit_one(p_patience text, p_channel text, p_origin bigint, p_op integer, p_at bigint,
	p_resource text, p_namespace text, p_name text, p_previous bigint,
	p_form integer, p_written bigint, p_creator text, p_key_id text, p_position integer, p_body bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	o_revision bigint;
	s_slot     smallint;
	stored     bytea := CASE WHEN p_op = 1 THEN p_body END;
	size       bigint := coalesce(length(stored), 0) + 100;
	ignored    text;
BEGIN
	ignored := set_config('lock_timeout', p_patience, true); -- faster than PERFORM, which runs a query
	UPDATE state s SET revision = s.revision + 1, slot_bytes = s.slot_bytes + size
		WHERE s.started = pg_postmaster_start_time() AND split_part(s.home, '/', 4) = s.tableoid::text
			AND (p_previous = 0 OR p_previous > s.slot_after) AND s.next_empty
			AND (s.slot_bytes = 0 OR s.slot_bytes < s.keep_bytes / 4 AND s.slot_since + s.keep / 2 >= clock_timestamp())
		RETURNING s.revision, s.slot INTO o_revision, s_slot;
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
	ignored := pg_notify(p_channel, o_revision::text);
	RETURN o_revision;
END
$$;
