package query_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strings"
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

// BenchmarkFiftyKinds compares one stream about 50 kinds with 50 watches. Each operation is a write to one of the
// kinds, and ends when the client has the event. KB/client is the memory of server and client together while all wait.
// The last two figures are ratios to the 50 watches.
func BenchmarkFiftyKinds(b *testing.B) {
	const kinds = 50
	var definitions []rest.Definition
	var paths []string
	for i := range kinds {
		r := crateResource()
		r.Plural, r.Names, r.Versions = fmt.Sprintf("crates%d", i), rest.Names{Kind: fmt.Sprintf("Crate%d", i)}, nil
		definitions, paths = append(definitions, r), append(paths, "/apis/example.com/v1/"+r.Plural)
	}
	var perClient, perEvent float64 // of the 50 watches
	for _, c := range []struct {
		name    string
		targets []string
	}{
		{"50 watches", func() (all []string) {
			for _, path := range paths {
				all = append(all, path+"?watch=1")
			}
			return all
		}()},
		{"one stream", []string{watches(paths)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			api := apitest.New(b, rest.Options{Queries: &rest.Queries{}}, definitions...)
			server := apitest.Serve(b, api)
			before := memory()
			lines := make(chan struct{}, 1)
			for _, target := range c.targets {
				response := apitest.Open(b.Context(), b, http.DefaultClient, "GET", server.URL+target)
				go func() {
					for scan := bufio.NewScanner(response.Body); scan.Scan(); {
						if !bytes.Contains(scan.Bytes(), []byte(`"type":"BOOKMARK"`)) {
							lines <- struct{}{}
						}
					}
				}()
			}
			waiting := float64(memory()-before) / 1024
			n := 0
			processor := float64(apitest.ProcessorTime(func() {
				for b.Loop() {
					i := n % kinds
					body := strings.Replace(crate(fmt.Sprintf("c%d", n), "red", 1, ""), `"kind":"Crate"`,
						fmt.Sprintf(`"kind":"Crate%d"`, i), 1)
					if answer := apitest.Do(b, api, "POST",
						"/apis/example.com/v1/namespaces/a/"+definitions[i].(rest.Resource[Crate]).Plural,
						body); answer.Code != http.StatusCreated {
						b.Fatal(answer.Raw)
					}
					<-lines
					n++
				}
			})) / float64(b.N)
			if perClient == 0 {
				perClient, perEvent = waiting, processor
			}
			b.ReportMetric(processor, "CPU-ns/event")
			b.ReportMetric(waiting, "KB/client")
			b.ReportMetric(processor/perEvent, "CPU/50-watches")
			b.ReportMetric(waiting/perClient, "memory/50-watches")
		})
	}
}

// memory returns how much memory objects and stacks take.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
