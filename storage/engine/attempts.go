package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// The pause before another attempt is a random part of a time that doubles with each failure. This was measured with a
// hundred writers of one object on two cores, under the race detector: without pauses, one write in seven needed more
// than MaxAttempts; with them, none of 20,000 did.
const firstPause, longestPause = time.Millisecond, 200 * time.Millisecond

// pause lets other writers finish before an update that has failed this many times tries again.
func pause(ctx context.Context, failed int) error {
	switch {
	case failed >= storage.MaxAttempts:
		return fmt.Errorf("%w (%d attempts)", storage.ErrContended, failed)
	case failed < 2: // an update that fails once usually succeeds at once when it tries again
		return nil
	}
	timer := time.NewTimer(rand.N(min(firstPause<<(failed-2), longestPause)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
