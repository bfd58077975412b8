package front

import (
	"cmp"
	"net/url"

	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// asked is what a request asks for: where its path leads, and the parameters of its URL. The stages find and read query
// read it from the URL, and no handler changes it.
type asked struct {
	lookUp finder

	serving *Serving // the state of the API when the path was looked up
	res     *Served  // nil for paths outside of all resources
	at      place
	through *Subresource // the subresource in the path; nil for the object itself
	chooser chooser

	query url.Values
	asks  access.Access // see Question
}

// place is what a path names. Empty segments name nothing.
type place struct {
	namespace, name, subresource string
	below                        bool   // the path continues below the subresource
	watched                      bool   // the path has the legacy form of a watch
	unknown                      bool   // the API serves nothing at the path
	declared                     string // the path of a plug-in, which may stand for all paths below it
}

// find is a stage. Only a path below a subresource may contain an escaped slash: see [route.Path].
func (q *request) find() error {
	path, whole := route.Path(q.r.URL)
	q.serving, q.at, q.through = q.api.serving.Load(), place{}, nil
	q.res, q.chooser = q.lookUp(q.serving, path, &q.at)
	if q.chooser == nil || !whole && !q.at.below {
		q.res, q.chooser, q.at = nil, always((*request).unknownPath), place{unknown: true}
	}
	if q.at.subresource != "" && q.res != nil {
		q.through = q.res.subresource(q.at.subresource)
	}
	return nil
}

// readQuery is a stage. It refuses a malformed query as a whole: if it dropped only the malformed part, a DELETE could
// lose its selector and delete everything. If a parameter is repeated, handlers use its first value.
func (q *request) readQuery() error {
	if q.r.URL.RawQuery == "" {
		return nil
	}
	var err error
	if q.query, err = url.ParseQuery(q.r.URL.RawQuery); err != nil {
		return status.BadRequest("the query cannot be parsed: " + cmp.Or(words.NotAQuery(q.r.URL.RawQuery),
			"it has too many parameters"))
	}
	return nil
}

// forget drops what only the beginning of a watch reads, because a watch may wait for long.
func (a *asked) forget() { a.query, a.at = nil, place{} }

// Question returns the access that the request needs, without the user. [access.AccessFrom] calls it.
func (q *request) Question() access.Access {
	if q.asks.Resource == "" && q.asks.Path == "" {
		q.asks = route.Read(q.r.Method, q.r.URL, q.serving)
	}
	return q.asks
}

// Serving returns the state of the API when the path was looked up. The test of the proxy takes it from the context of
// a plug-in's handler, because it has no other way to replace the service of a resource.
func (a *asked) Serving() *Serving { return a.serving }

// resource returns the resource of the request, or nil for a path outside of all resources.
func (a *asked) resource() *resource.Resource {
	if a.res == nil {
		return nil
	}
	return a.res.Resource
}

// kind returns the kind of the body and of the answer: the resource's, or the subresource's own.
func (a *asked) kind() *media.Kind {
	if a.through != nil && !a.through.OfItself {
		return a.through.Media
	}
	return a.res.Media
}

// isStream reports whether the path leads to a stream.
func (a *asked) isStream() bool { return a.through != nil && a.through.Bytes != nil }
