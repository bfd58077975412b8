package postgres

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/seal"
)

const (
	defaultSchema       = "decorum"
	defaultTimeout      = 5 * time.Second
	defaultHistoryBytes = 256 << 20
	leastPoll           = 10 * time.Millisecond
	// longestName is the length of the longest identifier of Postgres. It would cut a longer one off without an error.
	longestName = 63
)

// Options configures [Open]. Pool is required; the other options have defaults.
type Options struct {
	// Pool connects to Postgres. The store does not close it. The store takes one connection out of the pool to listen for
	// notifications, and shares the others with the host. The pool no longer counts this connection, so Postgres must
	// allow MaxConns connections and one for each store. If the default isolation level of the connections is stricter
	// than read committed, the store begins a transaction for each statement, which takes three round trips.
	Pool *pgxpool.Pool
	// Schema contains the tables of the store, and nothing else. The default is decorum. Open creates it if it does not
	// exist.
	Schema string
	// Poll is how often the store asks for new changes. It is for a pool that connects through PgBouncer in transaction
	// mode, or another proxy that does not support LISTEN. Zero means that the store listens, and asks only when there is
	// something new.
	Poll time.Duration
	// Timeout bounds each request to Postgres, by default 5 seconds. If a commit takes longer, its outcome is unknown
	// (504). A write returns at the deadline of its context. If its context is canceled, it may return after this time.
	Timeout time.Duration
	// Transformer seals the JSON of objects, for example with seal.NewAEAD. Nil stores plain JSON. A schema may contain
	// both sealed and plain objects. An object is sealed with the current key when it is next written.
	Transformer seal.Transformer
	// HistoryBytes is about how many bytes of history the schema keeps, by default 256 MiB. The history also ends at the
	// age of storage.Options.MaxLogAge. The replica that opened the store last decides.
	HistoryBytes int64
	// Engine configures the engine in memory. If Start is above the clock, revisions of a new store start above it, so a
	// host that imports objects sets it to the last revision of their former store.
	Engine storage.Options
}

func (o Options) withDefaults() (Options, error) {
	if o.Pool == nil {
		return o, errors.New("postgres: Options.Pool is required")
	}
	if err := seal.Check(o.Transformer); err != nil {
		return o, fmt.Errorf("postgres: Options.Transformer: %w", err)
	}
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.HistoryBytes == 0 {
		o.HistoryBytes = defaultHistoryBytes
	}
	if o.Poll > 0 {
		o.Poll = max(o.Poll, leastPoll)
	}
	return o, checkSchema(o.Schema)
}

// checkSchema returns an error if Postgres would not use a name as it is. All names without an error are safe, because
// [pgx.Identifier] quotes them.
func checkSchema(name string) error {
	switch {
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return fmt.Errorf("postgres: the schema %q must be UTF-8 without NUL", name)
	case len(name) > longestName:
		return fmt.Errorf("postgres: the schema %q has %d bytes, but Postgres allows %d", name, len(name), longestName)
	case strings.HasPrefix(name, "pg_") || name == "information_schema":
		return fmt.Errorf("postgres: the schema %q is reserved for Postgres", name)
	}
	return nil
}

// quoted returns the schema as an SQL identifier.
func (o *Options) quoted() string { return pgx.Identifier{o.Schema}.Sanitize() }
