package transaction

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	committed rest.Committed
}

// storedItem is the answer to the request of an object.
type storedItem struct {
	json            []byte
	resource        apimeta.GroupResource
	namespace, name string
	version         string // empty until the commit
}

// run makes the request of each object. It makes all of them, so that the client learns all faults at once.
func (t *attempt) run(ctx context.Context) error {
	t.stored = make([]storedItem, len(t.items))
	t.api.AfterCommit(ctx, func(c rest.Committed) { t.committed = c })
	var faults []fault
	for i := range t.items {
		if err := t.write(ctx, &t.items[i], &t.stored[i]); err != nil {
			faults = append(faults, fault{i, &t.items[i], err})
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return statusOf(faults, len(t.items))
}

// write makes the request of one object.
func (t *attempt) write(ctx context.Context, of *item, stored *storedItem) *status.Status {
	gvk := of.head.GroupVersionKind()
	resource, namespaced, found := t.resourceOf(gvk)
	if !found {
		return &status.Generic(http.StatusNotFound,
			fmt.Sprintf("the server stores no kind %q in %q", gvk.Kind, gvk.GroupVersion())).Status
	}
	r := t.requestFor(ctx, of, gvk.GroupVersion().WithResource(resource.Resource), namespaced)
	answer := httptest.NewRecorder()
	t.api.ServeInside(answer, r)
	body := answer.Body.Bytes()
	if answer.Code >= http.StatusBadRequest {
		refused := new(status.Status)
		if err := json.Unmarshal(body, refused); err != nil || refused.Code == 0 {
			return &status.Generic(answer.Code, strings.TrimSpace(string(body))).Status
		}
		return refused
	}
	var head struct {
		Metadata struct{ Name, Namespace, ResourceVersion string }
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return &status.InternalError(err).Status
	}
	*stored = storedItem{body, resource, head.Metadata.Namespace, head.Metadata.Name, head.Metadata.ResourceVersion}
	return nil
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

// answer returns the List of what the transaction has stored.
func (t *attempt) answer() (_ []byte, err error) {
	list := struct {
		apimeta.TypeMeta `json:",inline"`
		Metadata         struct{}          `json:"metadata"`
		Items            []json.RawMessage `json:"items"`
	}{TypeMeta: apimeta.TypeMeta{APIVersion: "v1", Kind: "List"}, Items: make([]json.RawMessage, len(t.stored))}
	for i, s := range t.stored {
		version := cmp.Or(t.committed.ResourceVersion(s.resource, s.namespace, s.name), s.version)
		if list.Items[i], err = withVersion(s.json, version); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}
