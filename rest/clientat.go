package rest

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/decorum-go/decorum/rest/internal/remote"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Server says where an API is served, for [ClientAt]. Any server will do that follows the Kubernetes API conventions. Package
// kubeconfig makes a Server from the files that kubectl reads.
type Server struct {
	// URL is the root of the API: scheme, host, and the prefix below which the host mounts it, as in
	// "https://platform.example.com/api-prefix".
	URL string
	// HTTP sends the requests. Its transport decides what the server learns of the client: certificates, tokens, the User-Agent.
	// Its Timeout bounds each request except those of watches. Default: http.DefaultClient.
	HTTP *http.Client
}

// ClientAt returns a client for objects that another process serves. Code that is written for the clients of [ClientFor] works
// with it, informers of package controller included. Of the resource it reads what names and encodes the objects: Group, Version,
// Plural, Scope, Names, Singleton, Overlay, Wire, and the kinds of Subresources. Hooks are ignored. T may lack fields that the
// server knows: an update of a kind of the [Custom] dialect keeps them. If the URL or the resource is invalid, every call returns an
// error that says so.
//
// A call sends one request, with two exceptions. Modify, and Update of a kind of the Custom dialect, read the object first: an
// update sends the stored object with the differences in the Go value, so that zeros have the same meaning as in process (see
// docs/kinds.md). If another write comes first, Modify tries again, at most 16 times. And Watch with a resourceVersion first
// asks whether the server reaches it.
//
// Failures are errors of package status. If an answer carries no Status, such as that of a proxy, the HTTP code determines the
// reason. If the server answers 429 or 503 with a Retry-After, the client waits and tries again, at most 10 times. Any other
// failure of the connection is the error of the http.Client. The end of the context ends a call at once.
//
// A watch continues by itself when the server ends it in order. If the connection breaks, Watch ends with an error. Follow
// connects again with growing delays, up to a minute, also after 429 and the codes from 500, once the server has answered it for
// the first time.
//
// The client does not send the user of [WithUser]: the identity is that of the http.Client. Without As, the server names the
// field manager, usually after the User-Agent.
func ClientAt[T any](server Server, r Resource[T]) Client[T] {
	c, err := clientAt(server, r)
	if err != nil {
		c.err = status.BadRequest(fmt.Sprintf("rest.ClientAt: %s: %v", reflect.TypeFor[T](), err))
	}
	return c
}

func clientAt[T any](server Server, r Resource[T]) (c Client[T], err error) {
	if r.Names.Kind == "" {
		r.Names.Kind = reflect.TypeFor[T]().Name()
	}
	r.Hooks, r.Verbs, r.Rules, r.RemoveWhenDue = Hooks[T]{}, nil, Rules{}, false
	d, err := r.declaration()
	if err != nil {
		return c, err
	}
	r.declareSubresources(&d, func(*servedSubresource) {})
	if c.res, err = resource.Outline(d); err != nil {
		return c, err
	}
	caller := &remote.Caller{HTTP: server.HTTP, Resource: c.res}
	if caller.HTTP == nil {
		caller.HTTP = http.DefaultClient
	}
	caller.Root, err = remote.ParseRoot(server.URL)
	c.caller = caller
	return c, err
}
