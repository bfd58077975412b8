package transaction

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// attempt writes the objects of a list, perhaps several times.
type attempt struct {
	*plugin
	request *http.Request
	auditID string
	query   url.Values
	items   []item

	stored    []storedItem // what the last run has stored
	taken     int64        // what they have taken of the API's memory for answers
	committed rest.Committed
}

// storedItem is the answer to the request of an object.
type storedItem struct {
	json            []byte
	resource        apimeta.GroupResource
	namespace, name string
	version         string // empty until the commit
}

// run makes the request of each object. It makes all requests, so that the client learns all faults at once. It ends
// early only if there is no memory for the answer.
func (t *attempt) run(ctx context.Context) error {
	_ = t.api.TakeMemory(ctx, -t.taken)
	t.stored, t.taken = make([]storedItem, len(t.items)), 0
	t.api.AfterCommit(ctx, func(c rest.Committed) { t.committed = c })
	var faults []fault
	for i := range t.items {
		refused, err := t.write(ctx, &t.items[i], &t.stored[i])
		if err != nil {
			return err
		}
		if refused != nil {
			faults = append(faults, fault{i, &t.items[i], refused})
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return statusOf(faults, len(t.items))
}

// write makes the request of one object.
func (t *attempt) write(ctx context.Context, of *item, stored *storedItem) (refused *status.Status, err error) {
	gvk := of.head.GroupVersionKind()
	resource, namespaced, found := t.resourceOf(gvk)
	if !found {
		return &status.Generic(http.StatusNotFound,
			fmt.Sprintf("the server stores no kind %q in %q", gvk.Kind, gvk.GroupVersion())).Status, nil
	}
	r := t.requestFor(ctx, of, gvk.GroupVersion().WithResource(resource.Resource), namespaced)
	answer := &answer{of: t, ctx: ctx, header: http.Header{}}
	t.api.ServeInside(answer, r)
	switch {
	case answer.err != nil:
		return nil, answer.err
	case answer.code >= http.StatusBadRequest:
		refused := new(status.Status)
		if err := json.Unmarshal(answer.body, refused); err != nil || refused.Code == 0 {
			return &status.Generic(answer.code, strings.TrimSpace(string(answer.body))).Status, nil
		}
		return refused, nil
	}
	var head struct {
		Metadata struct{ Name, Namespace, ResourceVersion string }
	}
	if err := json.Unmarshal(answer.body, &head); err != nil {
		return &status.InternalError(err).Status, nil
	}
	m := head.Metadata
	*stored = storedItem{bytes.TrimSpace(answer.body), resource, m.Namespace, m.Name, m.ResourceVersion}
	return nil, nil
}

// resourceOf returns the resource of a kind.
func (t *attempt) resourceOf(gvk apimeta.GroupVersionKind) (gr apimeta.GroupResource, namespaced, found bool) {
	for _, r := range t.api.Objects().Resources() {
		if slices.Contains(r.Kinds, gvk) {
			plural, group, _ := strings.Cut(r.Name, ".")
			return apimeta.GroupResource{Group: group, Resource: plural}, r.Namespaced, true
		}
	}
	return gr, false, false
}

// requestFor returns the request that writes an object.
func (t *attempt) requestFor(ctx context.Context, of *item, gvr apimeta.GroupVersionResource,
	namespaced bool) *http.Request {
	path := "/apis/" + gvr.Group + "/" + gvr.Version
	if gvr.Group == "" {
		path = "/api/" + gvr.Version
	}
	m, query := of.head.Metadata, url.Values{}
	for name, values := range t.query {
		query[name] = values
	}
	if namespaced {
		path += "/namespaces/" + url.PathEscape(cmp.Or(m.Namespace, "default"))
	}
	path += "/" + gvr.Resource
	method, contentType := http.MethodPost, "application/json"
	if m.Name != "" {
		path += "/" + url.PathEscape(m.Name)
		if method = http.MethodPut; m.ResourceVersion == "" {
			method, contentType = http.MethodPatch, "application/apply-patch+yaml"
		}
	}
	if method == http.MethodPatch && !query.Has("fieldManager") {
		manager, _, _ := strings.Cut(t.request.UserAgent(), "/")
		query.Set("fieldManager", cmp.Or(manager, "unknown"))
	}
	if method != http.MethodPatch {
		query.Del("force")
	}
	r := t.request.Clone(ctx)
	r.Method, r.Body, r.ContentLength = method, io.NopCloser(bytes.NewReader(of.text)), int64(len(of.text))
	unescaped, _ := url.PathUnescape(path) // it was escaped just now
	r.URL = &url.URL{Path: unescaped, RawPath: path, RawQuery: query.Encode()}
	r.RequestURI = r.URL.RequestURI()
	for _, name := range []string{
		"Origin", "Sec-Fetch-Site", "Accept-Encoding", "Content-Encoding", "Content-Length", "Transfer-Encoding", "Expect",
	} {
		r.Header.Del(name)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Audit-ID", t.auditID)
	return r
}
