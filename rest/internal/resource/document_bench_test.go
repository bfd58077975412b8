package resource_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// BenchmarkDocuments compares a kind without a Go struct with the same kind with one. The target is 1.1 times the
// struct. Batches of requests to the two alternate, and the fastest batch of each counts, so that other load on the
// machine does not.
func BenchmarkDocuments(b *testing.B) {
	const all = "/apis/example.com/v1/namespaces/default/widgets"
	body := func(name string) string { return strings.Replace(wholeWidget, "NAME", name, 1) }
	kinds := map[string]rest.Definition{"struct": widget.Resource(), "document": widgetDocuments(b)}
	expect := func(b *testing.B, a apitest.Answer, code int) {
		if a.Code != code {
			b.Fatal(a.Code, a.Body)
		}
	}
	for _, request := range []struct {
		name string
		run  func(b *testing.B, api *rest.API, i int)
	}{
		{"GET", func(b *testing.B, api *rest.API, _ int) {
			expect(b, apitest.Do(b, api, "GET", all+"/w0", ""), http.StatusOK)
		}},
		{"LIST", func(b *testing.B, api *rest.API, _ int) {
			expect(b, apitest.Do(b, api, "GET", all+"?limit=100", ""), http.StatusOK)
		}},
		{"CREATE", func(b *testing.B, api *rest.API, i int) {
			expect(b, apitest.Do(b, api, "POST", all, body(fmt.Sprintf("n%d", i))), http.StatusCreated)
		}},
		{"PATCH", func(b *testing.B, api *rest.API, i int) {
			patch := fmt.Sprintf(`{"spec":{"size":%d,"settings":{"k":"v%d"}}}`, 1+i%100, i)
			expect(b, apitest.Do(b, api, "PATCH", all+"/w0", patch, "Content-Type", "application/merge-patch+json"),
				http.StatusOK)
		}},
	} {
		b.Run(request.name, func(b *testing.B) {
			const batch = 20
			apis, least, n := map[string]*rest.API{}, map[string]time.Duration{}, 0
			for kind, declared := range kinds {
				apis[kind] = apitest.New(b, rest.Options{}, declared)
				for i := range 100 {
					expect(b, apitest.Do(b, apis[kind], "POST", all, body(fmt.Sprintf("w%d", i))), http.StatusCreated)
				}
			}
			for b.Loop() {
				for kind, api := range apis {
					start := time.Now()
					for i := range batch {
						request.run(b, api, n+i)
					}
					if took := time.Since(start) / batch; least[kind] == 0 || took < least[kind] {
						least[kind] = took
					}
				}
				n += batch
			}
			b.ReportMetric(float64(least["struct"].Nanoseconds()), "struct-ns")
			b.ReportMetric(float64(least["document"].Nanoseconds()), "document-ns")
			b.ReportMetric(float64(least["document"])/float64(least["struct"]), "ratio")
		})
	}
}
