package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// trimPatience is how long truncating a partition waits for its lock. Meanwhile readers of the partition wait too.
	trimPatience = "200ms"
	// trimPause is how long a replica waits after it has failed to truncate a partition.
	trimPause = 5 * time.Second
)

// trim truncates the oldest partition in the background. If other transactions hold it for long, such as pg_dump, the
// history grows until a later attempt.
func (a *authority) trim(slot int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.trimming || time.Since(a.untrimmed) < trimPause {
		return
	}
	a.trimming = true
	a.running.Go(func() {
		err := a.truncate((slot + 1) % partitions)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.trimming = false
		if err != nil {
			a.untrimmed = time.Now()
		}
	})
}

// partitions is the number of partitions of the changes. The layout has the same number.
const partitions = 4

func (a *authority) truncate(slot int) error {
	ctx, cancel := context.WithTimeout(context.Background(), a.opts.Timeout)
	defer cancel()
	due := false
	if err := a.ask(ctx, "SELECT {schema}.begin_trim()", nil, &due); err != nil || !due {
		return err
	}
	return pgx.BeginTxFunc(ctx, a.opts.Pool, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", trimPatience); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, a.sql("SELECT {schema}.end_trim($1)"), slot)
		return err
	})
}
