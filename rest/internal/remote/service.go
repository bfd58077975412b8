// Package remote performs the calls of typed clients over HTTP, for programs that do not serve the API themselves. Its
// errors are the Statuses that the server sends. If a response has no Status, package remote derives one from the HTTP
// status code.
package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Service implements [service.Service] over HTTP.
type Service struct {
	// Root is the URL of the API, without a slash at the end.
	Root string
	HTTP *http.Client
	// Header is added to every request.
	Header map[string][]string
	// Resource is a [resource.Outline].
	Resource *resource.Resource
	// MetadataOnly says that the server sends only the metadata of objects, as PartialObjectMetadata.
	MetadataOnly bool
	// WithoutManagedFields asks the server to leave managedFields out, because the client's Go type does not keep them.
	WithoutManagedFields bool
}

// accept returns the header Accept of a request.
func (c *Service) accept(r request) string {
	media := typeJSON
	switch {
	case c.MetadataOnly && r.list:
		media += ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	case c.MetadataOnly:
		media += ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	}
	if c.WithoutManagedFields {
		return media + ";drop=metadata.managedFields, " + media // a server may refuse a parameter that it does not know
	}
	return media
}

// ParseRoot checks the URL of an API and returns it without a slash at the end.
func ParseRoot(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", err
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.RawQuery != "", u.Fragment != "":
		return "", fmt.Errorf("the URL %q of the server must have the form https://HOST/PREFIX", u.Redacted())
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// object returns the URL of an object or of one of its subresources.
func (c *Service) object(at service.Address, query url.Values) (string, error) {
	collection, err := c.collection(at.Namespace, nil)
	if err != nil {
		return "", err
	}
	if err := at.CheckName(); err != nil {
		return "", err
	}
	if err := checkSegment(at.Name); err != nil {
		return "", err
	}
	path := "/" + url.PathEscape(at.Name)
	if at.Subresource != "" {
		if err := checkSegment(at.Subresource); err != nil {
			return "", err
		}
		path += "/" + url.PathEscape(at.Subresource)
	}
	return withQuery(collection+path, query), nil
}

// collection returns the URL of the collection in one namespace, or in all namespaces.
func (c *Service) collection(namespace string, query url.Values) (string, error) {
	path := c.Root + kind.Path(c.Resource.GVK.GroupVersion())
	if namespace != "" {
		if err := checkSegment(namespace); err != nil {
			return "", err
		}
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return withQuery(path+"/"+c.Resource.GR.Resource, query), nil
}

// checkSegment refuses a name that would change the structure of the path, such as "a/b" or "..".
func checkSegment(name string) error {
	if msgs := apimeta.ValidatePathSegmentName(name); len(msgs) > 0 {
		return status.BadRequest("invalid name " + strconv.Quote(name) + ": " + strings.Join(msgs, ", "))
	}
	return nil
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Get implements [service.Service].
func (c *Service) Get(by service.Caller, at service.Address, resourceVersion string) ([]byte, error) {
	query := url.Values{}
	set(query, "resourceVersion", resourceVersion)
	target, err := c.object(at, query)
	if err != nil {
		return nil, err
	}
	out, err := c.send(by.Context, request{method: http.MethodGet, url: target})
	if err != nil {
		return nil, err
	}
	return out.body, c.check(out.body, at)
}

// History implements [service.Service]. It sends nothing, because only the methods of the history know what
// to ask for.
func (c *Service) History(by service.Caller, at service.Address) (service.History, error) {
	return &farHistory{c, by.Context, at}, nil
}

// farHistory implements [service.History].
type farHistory struct {
	*Service
	ctx context.Context
	at  service.Address
}

// Answer implements [service.History].
func (h *farHistory) Answer(q past.Query) ([]byte, error) {
	query := url.Values{}
	set(query, "revision", q.Revision)
	set(query, "from", q.From)
	set(query, "to", q.To)
	target, err := h.object(h.at, query)
	if err != nil {
		return nil, err
	}
	out, err := h.send(h.ctx, request{method: http.MethodGet, url: target})
	if err == nil && q.Revision != "" {
		err = h.check(out.body, service.Address{Name: h.at.Name})
	}
	return out.body, err
}

// List implements [service.History].
func (h *farHistory) List() (*history.ObjectVersionList, error) {
	answer, err := h.Answer(past.Query{})
	if err != nil {
		return nil, err
	}
	list := new(history.ObjectVersionList)
	return list, codec.Unmarshal(answer, list)
}

// Close implements [service.History].
func (h *farHistory) Close() {}

// check returns an error if a successful answer is not the object at an address. A caller could not distinguish the
// answer of a proxy from an object without fields, and Modify would write such an object back. check accepts every
// answer of a subresource, which may have a kind of its own.
func (c *Service) check(answer []byte, at service.Address) error {
	if at.Subresource != "" {
		return nil
	}
	var found partial
	if err := codec.Unmarshal(answer, &found); err != nil {
		return unreadable("an object", err)
	}
	want := apimeta.TypeMeta{Kind: c.Resource.GVK.Kind, APIVersion: c.Resource.GVK.GroupVersion().String()}
	if c.MetadataOnly {
		want = apimeta.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
	}
	switch {
	case found.TypeMeta != want:
		return fmt.Errorf("the server's answer has the kind %q of %q, not %q of %q", found.Kind, found.APIVersion, want.Kind,
			want.APIVersion)
	case at.Name != "" && found.Metadata.Name != at.Name:
		return fmt.Errorf("the server's answer is the %s %q, not %q", want.Kind, found.Metadata.Name, at.Name)
	}
	return nil
}

// set adds a parameter unless it is empty.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// queryOf returns the parameters of a list or a watch.
func queryOf(o service.Selected) url.Values {
	query := url.Values{}
	set(query, "labelSelector", o.LabelSelector)
	set(query, "fieldSelector", o.FieldSelector)
	set(query, "shardSelector", o.ShardSelector)
	set(query, "resourceVersion", o.ResourceVersion)
	set(query, "resourceVersionMatch", string(o.ResourceVersionMatch))
	set(query, "continue", o.Continue)
	if o.Limit != 0 {
		query.Set("limit", strconv.FormatInt(o.Limit, 10))
	}
	for name, value := range o.Query.Parameters {
		query.Set(name, value)
	}
	return query
}

// List implements [service.Service].
func (c *Service) List(by service.Caller, namespace string, selected service.Selected,
	into service.Into) (service.Page, error) {
	target, err := c.collection(namespace, queryOf(selected))
	if err != nil {
		return service.Page{}, err
	}
	resp, err := c.open(by.Context, request{method: http.MethodGet, url: target, list: true})
	if err != nil {
		return service.Page{}, err
	}
	defer resp.Body.Close()
	if err := checkApplied(resp.Header, selected.Query); err != nil {
		return service.Page{}, err
	}
	return c.newList(resp.Body, into).page(by.Context)
}

// Count implements [service.Service].
func (c *Service) Count(by service.Caller, namespace string, selected service.Selected,
	_ *storage.Loan) (*queries.Counts, error) {
	target, err := c.collection(namespace, queryOf(selected))
	if err != nil {
		return nil, err
	}
	out, err := c.send(by.Context, request{method: http.MethodGet, url: target})
	if err != nil {
		return nil, err
	}
	if err := checkApplied(out.header, selected.Query); err != nil {
		return nil, err
	}
	counts := new(queries.Counts)
	return counts, codec.Unmarshal(out.body, counts)
}

// Beginning implements [service.Service]. No store of this process can be followed.
func (c *Service) Beginning(service.Caller, string, service.Selected) (follow.Beginning, error) {
	return follow.Beginning{}, status.MethodNotSupported(c.Resource.GR, kind.Watch)
}

// checkApplied returns an error if the server has ignored the parameters of a query, as one without this extension
// does.
func checkApplied(answer http.Header, text resource.QueryText) error {
	if want := text.Applied(); answer.Get(resource.AppliedParameters) != want {
		return status.BadRequest("the server has ignored the parameters " + want + ", because it does not support queries")
	}
	return nil
}
