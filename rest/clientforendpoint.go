package rest

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/remote"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Endpoint tells [ClientForEndpoint] how to reach an API. The server can be any program that follows the Kubernetes API
// conventions. Package kubeconfig makes an Endpoint from the configuration of kubectl.
type Endpoint struct {
	// URL is the root of the API: the scheme, the host, and the prefix under which the API is mounted, such as
	// "https://platform.example.com/api-prefix".
	URL string
	// HTTP sends the requests. Its transport authenticates the client, with a certificate or a token, and sets the
	// User-Agent. Its Timeout limits each request except the requests of watches. Default: http.DefaultClient.
	HTTP *http.Client
}

// ClientForEndpoint returns a client of a resource that another process serves. It takes the same calls as an
// in-process client, so an informer of package controller works with both. ClientForEndpoint uses the fields of r that
// name the resource and determine how to encode its objects: Group, Version, Plural, Scope, Names, Singleton, Overlay,
// Wire, and the kinds of Subresources. It ignores hooks. T may lack fields of the server's objects: for a kind of the
// [DialectCustom] dialect, updates leave these fields unchanged. If T has no metadata.managedFields, the client asks the
// server to leave them out, which often halves an answer. If T is [apimeta.PartialObjectMetadata], the server sends only
// the metadata of the objects. Such a client can get, list, watch, patch and delete objects; its other writes fail.
//
// ClientForEndpoint sends nothing. It returns an error if the URL or the resource is invalid. Whether the server can be
// reached and serves the resource shows at the first call.
//
// Each call sends one request, with two exceptions. First, Modify reads the object before it sends the update. So does
// Update for a kind of the Custom dialect: it changes the fields of the stored object that differ in the Go value, so
// that zeros have the same meaning as in process (see docs/kinds.md). If another client writes the object in between,
// Modify tries again, at most 16 times. Second, a watch begins with a list: without a resourceVersion for the existing
// objects, otherwise to check that the server has reached the version.
//
// Calls return errors of package status. A successful response that is not the object or the list that the client asked
// for is an error, too. If a response has no Status, for example because a proxy sent it, the HTTP status code
// determines the reason. If the server answers 429 or 503 with a Retry-After, the client waits and retries, at most 10
// times. If the connection fails, the call returns the error of the http.Client. A call returns as soon as its context
// ends.
//
// Servers end each watch request after a few minutes; Watch and Follow then send another one and continue. If the
// connection breaks, Watch ends with an error. Follow reconnects, with delays that grow up to a minute. It also retries
// after 429 and 5xx, but returns the error if its first request fails.
//
// The client ignores the user of [access.WithUser], because the http.Client determines the identity. [Client.AsUser] asks the
// server for impersonation. Without [Client.FieldManager], the server chooses the name of the field manager, usually from
// the User-Agent.
func ClientForEndpoint[T any](server Endpoint, r Resource[T]) (Client[T], error) {
	c, err := r.declared().clientFor(server)
	return Client[T]{calls[*T]{c}}, err
}

func (d *declared) clientFor(server Endpoint) (*client, error) {
	res, err := d.outline()
	if err != nil {
		return nil, fmt.Errorf("rest.ClientForEndpoint: %s: %w", d.goType, err)
	}
	root, err := remote.ParseRoot(server.URL)
	if err != nil {
		return nil, fmt.Errorf("rest.ClientForEndpoint: %s: %w", d.goType, err)
	}
	meta := res.Metadata
	return &client{res: res, door: newDoor(), service: &remote.Service{Root: root, HTTP: cmp.Or(server.HTTP, http.DefaultClient),
		Resource: res, MetadataOnly: d.goType == reflect.TypeFor[apimeta.PartialObjectMetadata](),
		WithoutManagedFields: meta.Property("name") != nil && meta.Property(objectmeta.ManagedFields) == nil}}, nil
}

// outline returns what a client in another process knows about the resource.
func (d *declared) outline() (*resource.Resource, error) {
	d.Names.Kind = d.kindName()
	d.hooks, d.hookSet, d.Verbs, d.Rules, d.RemoveWhenDue = nil, resource.HookSet{}, nil, nil, false
	declaration, err := d.declaration()
	if err != nil {
		return nil, err
	}
	d.declareSubresources(&declaration, func(*front.Subresource) {})
	return resource.Outline(declaration)
}
