package metrics_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/metrics"
)

// The host serves the metrics beside the API, where only Prometheus reaches them.
func ExampleNew() {
	requests := metrics.New(metrics.Options{})
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{requests}},
		rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Names: rest.Names{Kind: "Memo"}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	registry := prometheus.NewRegistry()
	registry.MustRegister(requests)
	scrape := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/version", nil))
	answer := httptest.NewRecorder()
	scrape.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	fmt.Println(answer.Code)
	// Output: 200
}
