package audit_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A policy of Kubernetes chooses what is recorded, and a function receives the events.
func Example() {
	policy, err := audit.ParsePolicy([]byte(`
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  nonResourceURLs: ["/healthz*", "/livez*", "/readyz*"]
- level: Metadata
`))
	if err != nil {
		log.Fatal(err)
	}
	show := audit.SinkFunc(func(_ context.Context, events []*audit.Event) error {
		for _, e := range events {
			fmt.Println(e.User.Username, e.Verb, e.ObjectRef.Resource, e.ObjectRef.Name, e.ResponseStatus.Code)
		}
		return nil
	})
	records, err := audit.New(audit.Options{Policy: policy, Outputs: []audit.Output{{Sink: show, Mode: audit.Strict}}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{records}},
		rest.Resource[apitest.Memo]{Group: "example.com", Version: "v1", Plural: "memos"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	for _, path := range []string{"/readyz", "/apis/example.com/v1/namespaces/default/memos/a"} {
		api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
	// Output: system:anonymous get memos a 404
}
