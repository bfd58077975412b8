package conformance_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a server with just enough behaviour to be recorded and checked: it keeps
// ConfigMaps, and tests can change its answers.
type fake struct {
	Revision int                                           // the first resourceVersion
	Ahead    int                                           // how far the resourceVersion of a list is ahead of its objects
	Tamper   func(*http.Request, int, any) (int, any)      // changes status and body of an answer
	Header   func(*http.Request, http.Header)              // changes the headers of an answer
	Instead  func(http.ResponseWriter, *http.Request) bool // answers in place of the server

	mu      sync.Mutex
	objects map[string]map[string]any
	changes []map[string]any
	changed chan struct{}
}

// start serves until the test ends and returns the URL.
func (f *fake) start(t *testing.T) string {
	t.Helper()
	f.objects, f.changed = map[string]map[string]any{}, make(chan struct{})
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.Instead != nil && f.Instead(w, r) {
		return
	}
	if r.URL.Query().Get("watch") != "" {
		f.watch(w, r)
		return
	}
	code, body := f.answer(r)
	if f.Tamper != nil {
		code, body = f.Tamper(r, code, body)
	}
	w.Header().Set("Content-Type", "application/json")
	if f.Header != nil {
		f.Header(r, w.Header())
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func (f *fake) answer(r *http.Request) (int, any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // api v1 namespaces NS configmaps NAME
	switch {
	case r.Method == http.MethodPost && len(parts) == 3:
		return http.StatusCreated, object{}
	case r.Method == http.MethodPost:
		return f.create(r, parts[3])
	case len(parts) == 6:
		if found, ok := f.objects[parts[3]+"/"+parts[5]]; ok {
			return http.StatusOK, found
		}
		return http.StatusNotFound, object{
			"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure", "code": 404,
			"reason": "NotFound", "message": fmt.Sprintf("configmaps %q not found", parts[5]), "details": object{},
		}
	case len(parts) == 5:
		items := []any{}
		for _, change := range f.changes {
			if o := change["object"].(object); o["metadata"].(object)["namespace"] == parts[3] {
				items = append(items, o)
			}
		}
		return http.StatusOK, object{
			"kind": "ConfigMapList", "apiVersion": "v1", "items": items,
			"metadata": object{"resourceVersion": fmt.Sprint(f.Revision + f.Ahead), "continue": ""},
		}
	}
	return http.StatusOK, object{"kind": "APIVersions", "versions": []any{"v1"}}
}

type object = map[string]any

func (f *fake) create(r *http.Request, namespace string) (int, any) {
	var o object
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		return http.StatusBadRequest, object{"kind": "Status", "code": 400, "reason": "BadRequest", "message": err.Error()}
	}
	f.Revision++
	metadata := o["metadata"].(object)
	if prefix, ok := metadata["generateName"].(string); ok {
		metadata["name"] = fmt.Sprintf("%sb%dfgh", prefix, len(f.changes)%10)
	}
	metadata["namespace"] = namespace
	metadata["resourceVersion"] = fmt.Sprint(f.Revision)
	metadata["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", f.Revision)
	metadata["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	metadata["managedFields"] = []any{object{"manager": "conform", "operation": "Update",
		"time": time.Now().UTC().Format(time.RFC3339)}}
	f.objects[fmt.Sprint(namespace, "/", metadata["name"])] = o
	f.changes = append(f.changes, object{"type": "ADDED", "object": o})
	close(f.changed)
	f.changed = make(chan struct{})
	return http.StatusCreated, o
}

// watch streams the changes in a namespace, each followed by a bookmark.
func (f *fake) watch(w http.ResponseWriter, r *http.Request) {
	namespace := strings.Split(r.URL.Path, "/")[4]
	w.Header().Set("Content-Type", "application/json")
	sent := 0
	for {
		f.mu.Lock()
		news, changed := f.changes[sent:], f.changed
		sent += len(news)
		for _, change := range news {
			if change["object"].(object)["metadata"].(object)["namespace"] == namespace {
				_ = json.NewEncoder(w).Encode(change)
				_ = json.NewEncoder(w).Encode(object{"type": "BOOKMARK",
					"object": object{"metadata": object{"resourceVersion": fmt.Sprint(f.Revision)}}})
			}
		}
		f.mu.Unlock()
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
