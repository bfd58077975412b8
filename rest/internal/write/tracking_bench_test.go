//go:build unix

package write_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// trackedWrite is a write that moves the ownership of fields: the n-th patch or configuration, and what does the same
// where nothing is tracked.
type trackedWrite struct {
	name     string
	target   string
	managers int
	apply    bool
	body     func(n int) string
	patch    func(n int) string // the patch of an apply
}

var trackedWrites = []trackedWrite{
	{name: "patch takes over", managers: 4, body: func(n int) string { return fmt.Sprintf(`{"spec":{"size":%d}}`, n) }},
	{name: "patch adds and removes", managers: 4, body: func(n int) string {
		return fmt.Sprintf(`{"spec":{"data":{"more%d":"a","more%d":null},"parts":[{"name":"a","count":1},{"name":"p%d"}]}}`,
			n, n-1, n)
	}},
	{name: "status of four controllers", target: "/status", managers: 4,
		body: func(n int) string { return fmt.Sprintf(`{"status":{"phase":"Ready","seen":%d}}`, n) }},
	{name: "apply by another", managers: 4, apply: true,
		body: func(n int) string {
			return apitest.ThingBody("a", fmt.Sprintf(`{"size":%d,"data":{"key001":"mine"}}`, n))
		},
		patch: func(n int) string {
			return apitest.ThingBody("a", fmt.Sprintf(`{"size":%d,"data":{"key001":"mine"}}`, n))
		}},
	{name: "apply changes a field", managers: 1, apply: true,
		body: func(n int) string {
			return apitest.ThingBody("a", fmt.Sprintf(`{"size":%d,"data":{"key001":"mine"}}`, n))
		},
		patch: func(n int) string {
			return apitest.ThingBody("a", fmt.Sprintf(`{"size":%d,"data":{"key001":"mine"}}`, n))
		}},
	{name: "apply drops a field", managers: 1, apply: true,
		body: func(n int) string { return apitest.ThingBody("a", fmt.Sprintf(`{"data":{"more%d":"mine"}}`, n)) },
		patch: func(n int) string {
			return apitest.ThingBody("a", fmt.Sprintf(`{"data":{"more%d":"mine","more%d":null}}`, n, n-1))
		}},
}

// writes returns a function that does n such writes to an object of that size.
func (w trackedWrite) writes(b *testing.B, size int, tracked bool) func(n int) {
	resource := apitest.ThingResource()
	resource.Wire.Untracked = !tracked
	s := apitest.NewThingServer(b, rest.Options{}, resource)
	require.Equal(b, http.StatusCreated,
		s.Do("POST", apitest.Things+"?fieldManager=m", string(apitest.PaddedThing("a", size))).Code)
	media, query, body := "application/merge-patch+json", "", w.body
	switch {
	case w.apply && tracked:
		media, query = "application/apply-patch+yaml", "&force=true"
	case w.apply:
		body = w.patch
	}
	writers := make([]*apitest.ThingWriter, w.managers)
	for i := range writers {
		writers[i] = apitest.NewThingWriter(s.API, "PATCH",
			fmt.Sprintf("%s/a%s?fieldManager=m%d%s", apitest.Things, w.target, i, query), media)
	}
	done := 0
	return func(n int) {
		for range n {
			done++
			if code := writers[done%len(writers)].Send([]byte(body(done))); code != http.StatusOK {
				b.Fatal(code)
			}
		}
	}
}

// Limit: the same write to a resource that tracks no owners, and for an apply the merge patch that does the same.
// Target: 2, so that the tracking costs no more than the rest of the write.
func BenchmarkTracking(b *testing.B) {
	for _, size := range []int{apitest.BenchObject, 50 << 10} {
		for _, w := range trackedWrites {
			b.Run(fmt.Sprintf("%d KB/%s", size>>10, w.name), func(b *testing.B) {
				apitest.Compare(b, 200, w.writes(b, size, true), w.writes(b, size, false))
			})
		}
	}
}
