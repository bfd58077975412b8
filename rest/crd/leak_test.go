package crd_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Definitions that are applied and deleted in a loop leave nothing behind: no goroutine, and at most 4 KiB each.
func TestDeletedDefinitionsLeaveNothingBehind(t *testing.T) {
	const warm, definitionsDeleted, bytesEach = 20, 500, 4 << 10
	// A small history, because the deleted definitions stay in it for a while.
	store := memory.New(storage.Options{MaxLogBytes: 1 << 20})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	api := enabled(t, rest.Options{Store: store})
	round := func(n int) {
		name := fmt.Sprintf("gears%d", n)
		text := strings.NewReplacer("gears", name, "Gear", fmt.Sprintf("Gear%d", n), "[gr]",
			fmt.Sprintf("[gr%d]", n)).Replace(gears)
		require.Equal(t, 201, send(t, api, "POST "+definitions, text, nil))
		await(t, api, name+".example.org", established)
		path := strings.Replace(gearPath, "gears", name, 1)
		require.Equal(t, 201, send(t, api, "POST "+path,
			fmt.Sprintf(`{"apiVersion":"example.org/v1","kind":"Gear%d","metadata":{"name":"a"}}`, n), nil))
		require.Equal(t, 200, send(t, api, "GET /openapi/v3/apis/example.org/v1", "", nil))
		require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/"+name+".example.org", "", nil))
		await(t, api, name+".example.org", gone)
	}
	for n := range warm {
		round(n)
	}
	goroutines, before := runtime.NumGoroutine(), heaptest.InUse()
	for n := range definitionsDeleted {
		round(warm + n)
	}
	each := (heaptest.InUse() - before) / definitionsDeleted
	t.Logf("%d bytes for each definition, %d goroutines, %d before", each, runtime.NumGoroutine(), goroutines)
	assert.Less(t, each, int64(bytesEach))
	assert.Less(t, runtime.NumGoroutine(), goroutines+10, "some of the last round may be about to end")
}
