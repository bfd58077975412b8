package conformance_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing/fstest"

	"github.com/decorum-go/decorum/rest/conformance"
)

// The example has its own case, its golden transcript, and a server that answers
// differently.
func ExampleRun() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIVersions","versions":["v2"]}`)
	}))
	defer server.Close()

	report, err := conformance.Run(context.Background(), conformance.Options{
		Server: server.URL,
		Cases: fstest.MapFS{"discovery.yaml": {Data: []byte(`
cases:
- name: legacy-versions
  doc: The core group has one version.
  steps: [{do: GET /api}]
`)}},
		Golden: fstest.MapFS{"discovery.json": {Data: []byte(`{"cases":{"legacy-versions":[
  {"req":"GET /api","status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}
]}}`)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Print(r.Text(false))
	}
	if err := report.WriteTable(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// FAIL discovery/legacy-versions: The core group has one version.
	//   step 1 GET /api
	//     body.versions[0]
	//       want: "v1"
	//       got:  "v2"
	//
	// area                  cases   pass  message differs   fail
	// discovery                 1      0                0      1
	// total                     1      0                0      1
	//
	// 0 passed, 1 failed
}
