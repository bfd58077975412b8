package query_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// BenchmarkPageOf100000 compares a page of 50 of 100,000 objects with sorted pages. x/plain is the ratio to the plain
// page. One sort follows an index and one has none; the last one filters too.
func BenchmarkPageOf100000(b *testing.B) {
	api := newCrates(b, rest.Options{})
	for i := range 100_000 {
		body := crate(fmt.Sprintf("crate-%05d", i), []string{"red", "blue", "green"}[i%3], int64(i*7919%100_003), "")
		require.Equal(b, http.StatusCreated, apitest.Do(b, api, "POST", crates, body).Code)
	}
	plain := 0.0
	for _, c := range []struct {
		name       string
		parameters []string
	}{
		{"plain", nil},
		{"sorted by an index", []string{"sortBy", "-spec.size"}},
		{"sorted by an index, filtered",
			[]string{"sortBy", "-spec.size", "fieldQuery", "spec.color in (red,blue),spec.size<50000"}},
		{"sorted by two indexed fields", []string{"sortBy", "spec.color,-spec.size"}},
		{"sorted without an index", []string{"sortBy", "-metadata.name"}},
		{"sorted by a timestamp", []string{"sortBy", "-metadata.creationTimestamp"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			target := with(crates, append(c.parameters, "limit", "50")...)
			b.ReportAllocs()
			for b.Loop() {
				if answer := apitest.Do(b, api, "GET", target, ""); answer.Code != http.StatusOK {
					b.Fatal(answer.Raw)
				}
			}
			each := float64(b.Elapsed()) / float64(b.N)
			if plain == 0 {
				plain = each
			}
			b.ReportMetric(each/plain, "x/plain")
		})
	}
}
