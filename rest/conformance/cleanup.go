package conformance

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// cleanupTime bounds the deletion of what one case has created.
const cleanupTime = 10 * time.Second

// cleanUp deletes the objects that the case has seen created, and its namespaces. It
// runs after the end of the context, too: an interrupted run leaves nothing behind. It
// ignores failures, because most of the objects are gone when the case ends.
func (r *replay) cleanUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	for _, path := range r.created() {
		r.discard(ctx, path)
	}
	for _, name := range r.namespaces {
		_, _, _ = r.client.ask(ctx, request{method: http.MethodDelete, path: "/api/v1/namespaces/" + name})
	}
}

// discard deletes an object. One that stays has finalizers, which nobody else will
// process; discard removes them.
func (r *replay) discard(ctx context.Context, path string) {
	status, _, err := r.client.ask(ctx, request{method: http.MethodDelete, path: path + "?gracePeriodSeconds=0"})
	if err != nil || status/100 != 2 {
		return
	}
	if status, _, err = r.client.ask(ctx, request{method: http.MethodGet, path: path}); err != nil ||
		status != http.StatusOK {
		return
	}
	_, _, _ = r.client.ask(ctx, request{
		method: http.MethodPatch, path: path, body: new(`{"metadata":{"finalizers":null}}`),
		headers: []pair{{"Content-Type", "application/merge-patch+json"}},
	})
}

// created returns the paths of the objects that the case has created, the latest first. An object that it has only read
// stays: it may belong to others.
func (r *replay) created() []string {
	var paths []string
	for _, a := range slices.Backward(r.answers) {
		uid, _ := lookup(a.body, "metadata.uid")
		name, _ := lookup(a.body, "metadata.name")
		if a.status != http.StatusCreated || text(uid) == "" || text(name) == "" {
			continue
		}
		path, _, _ := strings.Cut(a.path, "?")
		escaped := "/" + url.PathEscape(text(name))
		if before, _, found := strings.Cut(path+"/", escaped+"/"); found {
			path = before // the path of the object, or of one of its subresources
		}
		if path += escaped; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
