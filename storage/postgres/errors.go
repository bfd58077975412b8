package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// ErrFormat means that the schema has a layout that this package does not know.
var ErrFormat = errors.New("postgres: the schema has an unknown layout")

// The codes of errors of Postgres that the store tells apart.
const (
	codeReadOnly      = "25006"
	codeDiskFull      = "53100"
	codePrivilege     = "42501"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeCanceled      = "57014"
	codeLocked        = "55P03"
	codeConnections   = "53300"
	codeLayout        = "DC001" // the functions in the schema raise it
	classOperator     = "57P"   // the server is shut down, or the connection was terminated
)

// IsConflict reports whether a transaction failed because another one changed an object, or a row of the host, that it
// has read or written. The host should repeat the whole transaction. The error is that of a write with [InTx], or of
// the COMMIT.
func IsConflict(err error) bool {
	code := codeOf(err)
	return code == codeSerialization || code == codeDeadlock
}

// codeOf returns the code of an error that Postgres has sent, or "".
func codeOf(err error) string {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failure.Code
	}
	return ""
}

// unavailable returns the error of a request that Postgres did not serve, or an error that wraps the one of the
// caller's context.
func (a *authority) unavailable(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil:
		return fmt.Errorf("Postgres does not answer: %w", ctx.Err())
	case errors.Is(err, storage.ErrUnavailable) || status.IsExpired(err):
		return err
	case codeOf(err) == codeConnections:
		return storage.Unavailable(led("Postgres has no connection left for the store, which needs one beside the pool", err))
	case codeOf(err) != "":
		return storage.Unavailable(led("Postgres refuses the request", err))
	}
	if s := a.opts.Pool.Stat(); errors.Is(err, context.DeadlineExceeded) && s.AcquiredConns() >= s.MaxConns() {
		return storage.Unavailable(fmt.Errorf(
			"all %d connections of the pool are in use, or Postgres does not answer: %w", s.MaxConns(), err))
	}
	return storage.Unavailable(fmt.Errorf("Postgres does not answer: %w", err))
}

// led returns an error whose text begins with what, and then quotes Postgres. The driver puts the words of Postgres at
// the end, after the addresses that it has tried.
func led(what string, err error) error {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok && failure.Error() != err.Error() {
		return fmt.Errorf("%s: %s: %w", what, failure.Message, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// refusal returns the error of a commit that Postgres has certainly not made, or nil if its outcome is unknown.
func refusal(err error) error {
	switch code := codeOf(err); {
	case code == codeReadOnly:
		return storage.ReadOnly(errors.New("Postgres is read-only"))
	case code == codeDiskFull:
		return storage.ReadOnly(errors.New("Postgres has no space left on its disk"))
	case code == codePrivilege:
		return storage.ReadOnly(errors.New("Postgres has not granted the store the privilege to write"))
	case code == codeLayout:
		return storage.ReadOnly(fmt.Errorf("%w: %w", ErrFormat, err))
	case code == codeCanceled:
		return storage.Unavailable(fmt.Errorf("Postgres cancelled the commit, perhaps because of statement_timeout: %w", err))
	case code == codeLocked:
		return storage.Unavailable(fmt.Errorf("another transaction locks the schema: %w", err))
	case len(code) == 5 && code[:3] == classOperator:
		return nil
	case code != "":
		return storage.Unavailable(fmt.Errorf("Postgres refuses the commit: %w", err))
	case pgconn.SafeToRetry(err):
		return storage.Unavailable(fmt.Errorf("Postgres does not answer: %w", err))
	}
	return nil
}

func expired() error { return status.Expired("the store no longer has the history of this revision") }

func isUnavailable(err error) bool { return errors.Is(err, storage.ErrUnavailable) }

func isReadOnly(err error) bool { return errors.Is(err, storage.ErrReadOnly) }
