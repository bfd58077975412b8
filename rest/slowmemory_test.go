//go:build !race

package rest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// Watches whose clients do not read keep a chunk each and what they have polled for it, and nothing of all that the log has forgotten
// since.
func TestStuckWatchesKeepLittle(t *testing.T) {
	const logBytes, objectSize, watches, perWatch = 4 << 20, 32 << 10, 16, 96
	for _, form := range slabForms {
		t.Run(form.name, func(t *testing.T) {
			s := newSlabServer(t, logBytes)
			s.create(t, "a", objectSize)
			before := heap()
			for range watches {
				after := s.store.Revision()
				for range perWatch {
					s.write(t, "a")
				}
				s.get(t, fmt.Sprintf("%s?watch=1&resourceVersion=%d%s", form.target, after, form.query), form.headers...).begun(t)
			}
			grown := heap() - before
			t.Logf("%d watches that are stuck, each %d KB further, keep %d KB", watches, perWatch*objectSize>>10, grown>>10)
			require.Less(t, grown, int64(logBytes+watches*(512<<10)))
		})
	}
}

// A large object is there once, in the store or in one encoding, however many watches are sending it.
func TestStuckWatchesShareALargeObject(t *testing.T) {
	const objectSize, watches = 2900 << 10, 20
	for _, form := range slabForms {
		if form.name == "tables" || form.name == "metadata" {
			continue // they show little of it
		}
		for event, query := range map[string]string{"ADDED": "watch=1", "MODIFIED": "watch=1&resourceVersion=2", "DELETED": "watch=1&resourceVersion=3"} {
			t.Run(event+" in "+form.name, func(t *testing.T) {
				s := newSlabServer(t, 64<<20)
				s.create(t, "a", objectSize)
				if event != "ADDED" {
					s.write(t, "a")
				}
				if event == "DELETED" {
					require.NoError(t, rest.ClientFor[Slab](s.api).Delete(t.Context(), "a", rest.DeleteOptions{}))
				}
				var before int64
				for i := range watches {
					s.get(t, form.target+"?"+query+form.query, form.headers...).begun(t)
					if i == 0 {
						before = heap()
					}
				}
				grown := heap() - before
				t.Logf("%d more watches that are stuck in one object of %d KB keep %d KB", watches-1, objectSize>>10, grown>>10)
				require.Less(t, grown, int64(watches*(256<<10)))
			})
		}
	}
}
