package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// loading reads the objects of a resource as they were at a revision.
type loading struct {
	*authority
	resource string
	at       watch.Revision
	past     map[storage.Key]*engine.Stored // the older states of objects that have changed since; nil if there was none
	refused  error                          // the error of yield
}

// undo is the statement that returns, for each object that has changed since a revision, its state before the first of
// these changes. That state is in the same partition.
const undo = `SELECT c.namespace, c.name, c.previous, coalesce(p.form, -1), coalesce(p.position, 0), coalesce(p.written, 0),
		coalesce(p.creator, ''), coalesce(p.key_id, ''), p.body
	FROM (
		SELECT DISTINCT ON (namespace, name) slot, namespace, name, previous FROM {schema}.changes
		WHERE resource = $1 AND revision > $2 AND NOT image ORDER BY namespace, name, revision
	) c LEFT JOIN {schema}.changes p ON p.slot = c.slot AND p.revision = c.previous`

// page is the statement that returns the current objects after a key.
const page = `SELECT namespace, name, revision, ` + columns + ` FROM {schema}.objects
	WHERE resource = $1 AND (namespace, name) > ($2, $3) ORDER BY namespace, name LIMIT $4`

// load reads in one snapshot.
func (l *loading) load(ctx context.Context, tx pgx.Tx, yield func(engine.Stored) error) error {
	var floor watch.Revision
	if err := tx.QueryRow(ctx, l.sql("SELECT floor FROM {schema}.state")).Scan(&floor); err != nil {
		return err
	}
	if floor > l.at {
		return expired()
	}
	if err := l.readPast(ctx, tx); err != nil {
		return err
	}
	namespace, name := "", ""
	for {
		all, err := l.page(ctx, tx, namespace, name)
		if err != nil {
			return err
		}
		for _, s := range all {
			namespace, name = s.Key.Namespace, s.Key.Name
			if l.refused = l.pass(s, yield); l.refused != nil {
				return l.refused
			}
		}
		if len(all) < pageSize {
			break
		}
	}
	for _, s := range l.deleted() {
		if l.refused = yield(*s); l.refused != nil {
			return l.refused
		}
	}
	return nil
}

func (l *loading) readPast(ctx context.Context, tx pgx.Tx) error {
	l.past = map[storage.Key]*engine.Stored{}
	rows, err := tx.Query(ctx, l.sql(undo), l.resource, int64(l.at))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		s := engine.Stored{Key: storage.Key{Resource: l.resource}}
		v := value{}
		if err := rows.Scan(append([]any{&s.Key.Namespace, &s.Key.Name, &s.Revision}, v.fields()...)...); err != nil {
			return err
		}
		switch {
		case s.Revision == 0:
			l.past[s.Key] = nil
		case v.body == nil:
			return expired() // the partition was truncated after the snapshot
		default:
			was := l.decode(ctx, s.Key, s.Revision, &v)
			l.past[s.Key] = &was
		}
	}
	return rows.Err()
}

func (l *loading) page(ctx context.Context, tx pgx.Tx, namespace, name string) (all []engine.Stored, err error) {
	rows, err := tx.Query(ctx, l.sql(page), l.resource, namespace, name, pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		s, err := l.scanObject(ctx, rows, l.resource)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// pass yields the state of an object at the revision.
func (l *loading) pass(s engine.Stored, yield func(engine.Stored) error) error {
	was, changed := l.past[s.Key]
	if !changed {
		return yield(s)
	}
	delete(l.past, s.Key)
	if was == nil {
		return nil
	}
	return yield(*was)
}

// deleted returns the objects that were deleted since the revision, in order.
func (l *loading) deleted() (all []*engine.Stored) {
	for _, s := range l.past {
		if s != nil {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *engine.Stored) int {
		return slices.Compare([]string{a.Key.Namespace, a.Key.Name}, []string{b.Key.Namespace, b.Key.Name})
	})
	return all
}
