package quota_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// BenchmarkCreate measures what limits on the namespace and on the user cost a write.
func BenchmarkCreate(b *testing.B) {
	limits := quota.New(func(quota.Account) []quota.Limit {
		return []quota.Limit{{Name: "q", Resource: notesName, Objects: 1 << 40, Bytes: 1 << 50}}
	})
	for name, ledger := range map[string]func() storage.Ledger{"without": nil, "with": limits} {
		b.Run(name, func(b *testing.B) {
			store := memory.New(storage.Options{Ledger: ledger})
			defer store.Close()
			api := serve(b, store, nil)
			b.ReportAllocs()
			for i := range b.N {
				require.NoError(b, create(b.Context(), api, "alice", "a", fmt.Sprint(i)))
			}
		})
	}
}
