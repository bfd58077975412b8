package requestlog_test

import (
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/requestlog"
)

// The program writes lines of text. The requests go where the host's own lines go.
func Example() {
	lines := requestlog.New(requestlog.Options{Logger: slog.New(slog.NewTextHandler(os.Stdout, withoutTimes)),
		Slow: time.Second})
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{lines}},
		rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Names: rest.Names{Kind: "Memo"}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	r := httptest.NewRequest(http.MethodGet, "/apis/example.com/v1/namespaces/default/memos/a", nil)
	r.Header.Set("Audit-ID", "7f3a")
	api.ServeHTTP(httptest.NewRecorder(), r)
	// Output:
	// level=INFO msg=request method=GET verb=get resource=memos.example.com version=v1 namespace=default name=a user=system:anonymous from=192.0.2.1:1234 auditID=7f3a code=404 reason=NotFound bytes=206
}

// withoutTimes makes the lines of the example the same in each run.
var withoutTimes = &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "latency" {
		return slog.Attr{}
	}
	return a
}}
