package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/widget"
	"github.com/decorum-go/decorum/rest"
)

// BenchmarkDocuments compares a kind without a Go struct with the same kind with one. The target is 1.1 times the struct.
func BenchmarkDocuments(b *testing.B) {
	const all = "/apis/example.com/v1/namespaces/default/widgets"
	body := func(name string) string { return strings.Replace(wholeWidget, "NAME", name, 1) }
	kinds := map[string]rest.Definition{"struct": widget.Resource(), "document": widgetDocuments(b)}
	expect := func(b *testing.B, a answer, code int) {
		if a.Code != code {
			b.Fatal(a.Code, a.Body)
		}
	}
	for _, request := range []struct {
		name string
		run  func(b *testing.B, api *rest.API, i int)
	}{
		{"GET", func(b *testing.B, api *rest.API, _ int) { expect(b, do(b, api, "GET", all+"/w0", ""), http.StatusOK) }},
		{"LIST", func(b *testing.B, api *rest.API, _ int) {
			expect(b, do(b, api, "GET", all+"?limit=100", ""), http.StatusOK)
		}},
		{"CREATE", func(b *testing.B, api *rest.API, i int) {
			expect(b, do(b, api, "POST", all, body(fmt.Sprintf("n%d", i))), http.StatusCreated)
		}},
		{"PATCH", func(b *testing.B, api *rest.API, i int) {
			patch := fmt.Sprintf(`{"spec":{"size":%d,"settings":{"k":"v%d"}}}`, 1+i%100, i)
			expect(b, do(b, api, "PATCH", all+"/w0", patch, "Content-Type", "application/merge-patch+json"), http.StatusOK)
		}},
	} {
		for _, kind := range []string{"struct", "document"} {
			b.Run(request.name+"/"+kind, func(b *testing.B) {
				api := newAPI(b, rest.Options{}, kinds[kind])
				for i := range 100 {
					expect(b, do(b, api, "POST", all, body(fmt.Sprintf("w%d", i))), http.StatusCreated)
				}
				n := 0
				for b.Loop() {
					request.run(b, api, n)
					n++
				}
			})
		}
	}
}
