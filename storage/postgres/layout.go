package postgres

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// newest is the number of the newest layout.
const newest = 5

//go:embed layout/*.sql
var layouts embed.FS

// layOut creates the tables of the store, or upgrades them, unless they have the newest layout.
func (a *authority) layOut(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	conn, err := a.opts.Pool.Acquire(bounded)
	if err != nil {
		return a.unavailable(ctx, err)
	}
	defer conn.Release()
	found, err := a.layout(bounded, conn)
	if err == nil && found < newest {
		err = pgx.BeginTxFunc(bounded, conn, readCommitted, func(tx pgx.Tx) error { return a.upgrade(bounded, tx) })
	}
	if err == nil {
		err = conn.QueryRow(bounded, a.sql(`SELECT id, current_setting('transaction_isolation') <> 'read committed'
			FROM {schema}.meta`)).Scan(&a.id, &a.strict)
	}
	code := codeOf(err)
	temporary := code == "" || code == codeLocked || code == codeCanceled || code[:2] == classOperator[:2]
	if errors.Is(err, ErrFormat) || err != nil && !temporary {
		return fmt.Errorf("postgres: the tables in schema %q: %w", a.opts.Schema, err)
	}
	if err != nil {
		return a.unavailable(ctx, err)
	}
	return nil
}

// querier runs a query, in a transaction or not.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// layout returns the number of the layout in the schema, or 0 if the schema has none. It reads the tables of the
// catalog, because functions such as to_regclass may not know yet what was committed during the wait for a lock.
func (a *authority) layout(ctx context.Context, q querier) (number int, err error) {
	exists := false
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = 'meta')`, a.opts.Schema).Scan(&exists)
	if err != nil || !exists {
		return 0, err
	}
	if err := q.QueryRow(ctx, a.sql("SELECT layout FROM {schema}.meta")).Scan(&number); err != nil {
		return 0, err
	}
	if number > newest {
		return 0, a.unknownLayout(number)
	}
	return number, nil
}

func (a *authority) unknownLayout(number int) error {
	return fmt.Errorf("%w: the schema %q has layout %d, and this program knows %d", ErrFormat, a.opts.Schema, number,
		newest)
}

// upgrade applies the missing layouts. A lock keeps other replicas from doing the same. A notification reports the new
// layout to running replicas of older programs, whose later commits all fail.
func (a *authority) upgrade(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", a.patience()); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
		"decorum layout "+a.opts.Schema); err != nil {
		return err
	}
	found, err := a.layout(ctx, tx)
	if err != nil || found == newest {
		return err
	}
	exists := false
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", a.opts.Schema).Scan(&exists)
	if err != nil {
		return err
	}
	if !exists { // IF NOT EXISTS would need the privilege to create it even if it exists
		if _, err := tx.Exec(ctx, a.sql("CREATE SCHEMA {schema}")); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "SELECT set_config('search_path', $1, true)", a.opts.quoted()+", pg_temp"); err != nil {
		return err
	}
	for number := found + 1; number <= newest; number++ {
		text, err := layouts.ReadFile(fmt.Sprintf("layout/%d.sql", number))
		if err != nil {
			return err
		}
		if _, err := tx.Conn().PgConn().Exec(ctx, string(text)).ReadAll(); err != nil {
			return fmt.Errorf("layout %d: %w", number, err)
		}
	}
	id := make([]byte, 16)
	rand.Read(id)
	_, err = tx.Exec(ctx, a.sql(`INSERT INTO {schema}.meta (layout, id) VALUES ($1, $2)
		ON CONFLICT (single) DO UPDATE SET layout = excluded.layout`), newest, hex.EncodeToString(id))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, a.sql("UPDATE {schema}.state SET layout = $1"), newest); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, a.sql("SELECT pg_notify('decorum_' || id, 'layout') FROM {schema}.meta"))
	return err
}

// patience returns how long a statement waits for a lock, as a setting of Postgres. It is shorter than the timeout, so
// that Postgres answers.
func (a *authority) patience() string {
	return fmt.Sprintf("%dms", max(1, a.opts.Timeout*4/5/time.Millisecond))
}
