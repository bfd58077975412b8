package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/watch"
)

// afterFault checks, in the child, that a store whose write has failed refuses writes, gives the reason, and continues
// to serve reads and watches, including a watch from before the fault. What the watch shows is compared with the file
// afterwards.
func afterFault(ctx context.Context, store *bolt.Store, open watch.Cursor[storage.Record]) error {
	why := store.Ready()
	if !errors.Is(why, storage.ErrReadOnly) || store.Stats().ReadOnly == nil {
		return fmt.Errorf("the store is ready: %w", errors.Join(errors.New("after a fault"), why))
	}
	_, err := store.Update(ctx, keys()[0],
		func(*storage.Record) ([]byte, error) { return object(keys()[0], "late", 1), nil })
	if !errors.Is(err, storage.ErrReadOnly) || status.CodeOf(err) != 503 ||
		status.From(err).Status.Details.Causes[0].Message == "" {
		return fmt.Errorf("a late write: %w", errors.Join(errors.New("after a fault"), err))
	}
	if err := list(ctx, store); err != nil {
		return err
	}
	cursor, err := store.Watch(ctx, watch.Key{}, store.Revision())
	if err != nil {
		return err
	}
	cursor.Close()
	report("s 2 %d", open.Position())
	for open.Position() < store.Revision() {
		if err := showSome(ctx, open, 2); err != nil {
			return err
		}
	}
	if changes, err := open.Poll(nil); err != nil || len(changes) > 0 {
		return fmt.Errorf("the watch from before the fault shows %d changes that no list shows: %w", len(changes), err)
	}
	open.Close()
	report("f %v", why)
	return nil
}

// A file that may not grow any more is like a full disk. The store then refuses writes, says why, and has lost nothing
// when it is opened where there is room again.
func TestDiskFull(t *testing.T) {
	seed := number(t, "DECORUM_TORTURE_SEED", rand.Uint64())
	t.Logf("DECORUM_TORTURE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "objects.db")
	m := newModel()
	for n := range 3 {
		blocks := 10_000 + n*12_000 + random.IntN(5000) // blocks of 512 bytes
		cmd := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("ulimit -f %d; exec %q", blocks, testBinary()))
		r := watchChild(t, cmd, 0, childPath+"="+path, fmt.Sprint(childRun, "=", n), childAfter+"=0", childFault+"=yes")
		assert.Contains(t, r.fault, "file too large")
		assert.Contains(t, r.fault, path)
		require.NoError(t, m.add(r))
		require.NoError(t, m.check(read(t, path, m, n == 0)))
	}
}

// A sync or a write fails. The store refuses writes from then on, and the file holds everything that was acknowledged,
// even if the power fails afterwards or while the next process writes.
func TestBrokenDisk(t *testing.T) {
	for _, fault := range []string{"fdatasync:error=EIO:when=%d+", "pwrite64:error=ENOSPC:when=%d+"} {
		t.Run(fault, func(t *testing.T) {
			o := newOutage(t, number(t, "DECORUM_TORTURE_SEED", rand.Uint64()))
			for range 2 {
				o.run(4, fmt.Sprintf(fault, 3+o.random.IntN(20)), childFault+"=yes")
				r := o.runs[len(o.runs)-1]
				assert.Contains(t, r.fault, o.path)
			}
		})
	}
}
