package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// gaps finds the requests for parts of the Kubernetes API that the server does not have, so that the author of a test
// need not guess why the test fails.
type gaps struct {
	api    *rest.API
	report func(text string)
	// resources holds the verbs of the resources that the API serves, for each group and version that was requested so
	// far.
	resources sync.Map
}

// watch returns a ResponseWriter that adds a warning to an answer about something that the server does not have, and
// reports it.
func (g *gaps) watch(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	a := g.api.AccessOf(r)
	if a.Resource == "" || !isKubernetes(a.Group) {
		return w
	}
	return &gapWriter{ResponseWriter: w, text: func(code int) string { return g.textFor(a, code, r) }, report: g.report}
}

// isKubernetes reports whether a group belongs to Kubernetes itself.
func isKubernetes(group string) bool {
	return scheme.Scheme.IsGroupRegistered(group) || group == "apiregistration.k8s.io" || group == metricsGroup
}

// metricsGroup is the group of the metrics server, which clusters usually have.
const metricsGroup = "metrics.k8s.io"

// textFor returns what the server does not have if the answer to a has this code. It returns "" for the answer of a
// full server, which also refuses resources and methods that Kubernetes does not know.
func (g *gaps) textFor(a access.Access, code int, r *http.Request) string {
	what := a.Resource
	if a.Subresource != "" {
		what += "/" + a.Subresource
	}
	switch {
	case code == http.StatusNotFound && hasKind(a) && g.verbsOf(a.Group, a.Version, a.Resource, r) == nil:
		return fmt.Sprintf("kubeapi does not serve %s in %s", what, groupVersion(a.Group, a.Version))
	case code != http.StatusMethodNotAllowed && code != http.StatusNotImplemented:
	case slices.Contains(g.verbsOf(a.Group, a.Version, what, r), string(a.Verb)): // discovery matches Kubernetes
		return fmt.Sprintf("kubeapi does not serve %s of %s in %s", a.Verb, what, groupVersion(a.Group, a.Version))
	}
	return ""
}

// hasKind reports whether Kubernetes has a kind in this group and version that is stored under this resource, although
// it may not serve the version by default.
func hasKind(a access.Access) bool {
	if a.Group == metricsGroup {
		return a.Resource == "nodes" || a.Resource == "pods"
	}
	gv := schema.GroupVersion{Group: a.Group, Version: a.Version}
	for kind := range scheme.Scheme.KnownTypes(gv) {
		if plural, _ := meta.UnsafeGuessKindToResource(gv.WithKind(kind)); plural.Resource == a.Resource {
			return true
		}
	}
	return false
}

func groupVersion(group, version string) string {
	return apimeta.GroupVersion{Group: group, Version: version}.String()
}

// verbsOf returns the verbs of a resource as discovery lists them, or nil if discovery does not list the resource. It
// asks the API as the user of the request r. If that fails, the verbs are unknown and it returns an empty list.
func (g *gaps) verbsOf(group, version, resource string, r *http.Request) []string {
	path := "/apis/" + group + "/" + version
	if group == "" {
		path = "/api/" + version
	}
	known, ok := g.resources.Load(path)
	if !ok {
		question := r.Clone(r.Context())
		question.Method, question.Body, question.URL.Path, question.URL.RawPath, question.URL.RawQuery = http.MethodGet,
			http.NoBody, path, "", ""
		question.Header.Set("Accept", "application/json")
		answer := httptest.NewRecorder()
		g.api.ServeHTTP(answer, question)
		var list apimeta.APIResourceList
		switch {
		case answer.Code == http.StatusNotFound:
			return nil
		case answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &list) != nil:
			return []string{}
		}
		verbs := map[string][]string{}
		for _, resource := range list.Resources {
			verbs[resource.Name] = append([]string{}, resource.Verbs...)
		}
		known, _ = g.resources.LoadOrStore(path, verbs)
	}
	return known.(map[string][]string)[resource]
}

// gapWriter adds the warning, which must precede the answer.
type gapWriter struct {
	http.ResponseWriter
	text   func(code int) string
	report func(string)
	begun  bool
}

func (w *gapWriter) WriteHeader(code int) {
	if !w.begun && code >= http.StatusBadRequest {
		if text := w.text(code); text != "" {
			w.Header().Add("Warning", fmt.Sprintf("299 - %q", text))
			if w.report != nil {
				w.report(text)
			}
		}
	}
	w.begun = w.begun || code >= http.StatusOK
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets [http.ResponseController] find the wrapped writer.
func (w *gapWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
