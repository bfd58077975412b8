package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// The events of all requests go to a file, which is rotated at 100 MiB and kept for a limited number of rotations.
func ExampleOpenFile() {
	directory, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "audit.log")
	file, err := audit.OpenFile(path, audit.FileOptions{MaxBackups: 10})
	if err != nil {
		log.Fatal(err)
	}
	serveOneRequest(audit.Output{Sink: file})
	if err := file.Close(); err != nil { // after the API, which writes what is left in the queue when it shuts down
		log.Fatal(err)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(string(text), "\n"), "event")
	// Output: 1 event
}

// A server of the host's own receives the events in batches.
func ExampleNewWebhook() {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var batch audit.EventList
		if err := json.NewDecoder(r.Body).Decode(&batch); err != nil {
			log.Fatal(err)
		}
		for _, e := range batch.Items {
			fmt.Println(e.User.Username, e.Verb, e.RequestURI)
		}
	}))
	defer server.Close()
	serveOneRequest(audit.Output{Sink: audit.NewWebhook(rest.Endpoint{URL: server.URL}, audit.WebhookOptions{})})
	// Output: system:anonymous list /apis/example.com/v1/memos
}

// serveOneRequest records a request in an API that ends after it.
func serveOneRequest(to audit.Output) {
	policy := audit.Policy{
		Rules:      []audit.PolicyRule{{Level: audit.LevelMetadata}},
		OmitStages: []audit.Stage{audit.StageRequestReceived},
	}
	records, err := audit.New(audit.Options{Policy: &policy, Outputs: []audit.Output{to}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{records}},
		rest.Resource[apitest.Memo]{Group: "example.com", Version: "v1", Plural: "memos"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/apis/example.com/v1/memos", nil))
	if err := api.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
}
