package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// watchesPath is the path of streams about several resources. An API has it if it has [Queries].
const watchesPath = "/watches"

// maxWatches is how many watches one stream may have.
const maxWatches = 100

const eventStream = "text/event-stream"

var headerEventStream = []string{eventStream}

// isManyWatch reports whether the path is that of streams about several resources.
func (q *request) isManyWatch() bool {
	return q.res == nil && q.api.options.Queries != nil && q.r.URL.Path == watchesPath
}

// watchMany sends what several watches would send as one stream, in the order of revisions. The page docs/extensions.md
// describes it.
func (q *request) watchMany() error {
	if q.r.Method != http.MethodGet {
		return status.MethodNotAllowed()
	}
	options, serverSent, err := q.manyOptions()
	if err != nil {
		return err
	}
	revision, err := resource.ParseRevision(options.ResourceVersion)
	if err != nil {
		return err
	}
	w := &delivery.ManyWatch{
		Existing: revision == 0, After: watch.Revision(revision), Bookmarks: options.AllowWatchBookmarks,
		ServerSent: serverSent, Seconds: options.TimeoutSeconds, Ending: q.api.ending, Held: &q.held,
	}
	ctx, release := q.guarded(q.r.Context())
	defer release()
	texts := q.query["watch"]
	if len(texts) == 0 || len(texts) > maxWatches {
		return status.BadRequest(fmt.Sprintf("the parameter watch must be given 1 to %d times, each time with the path of a resource", maxWatches))
	}
	for _, text := range texts {
		permission, part, err := q.watchOf(ctx, text, options.ResourceVersion)
		if permission != nil {
			defer permission.Release()
			ctx = permission // which ends with the contexts before it
		}
		if err != nil {
			return err
		}
		w.Parts = append(w.Parts, part)
	}
	if q.api.limiter == nil {
		q.stay() // a watch does not count for MaxInFlight
	}
	return w.Deliver(ctx, func() (delivery.Output, error) {
		q.stay()
		contentType := headerJSON
		if serverSent {
			contentType = headerEventStream
		}
		body, err := q.newBody(contentType, delivery.StuckAfter)
		if err != nil {
			return nil, err
		}
		body.Begin()
		return body, nil
	})
}

// manyOptions reads the options of the whole stream. Last-Event-ID, with which a browser resumes, is the
// resourceVersion.
func (q *request) manyOptions() (o apimeta.ListOptions, serverSent bool, err error) {
	allowed := []string{"watch", "resourceVersion", "allowWatchBookmarks", "timeoutSeconds"}
	if err := onlyParameters(q.query, allowed, "a stream of several watches"); err != nil {
		return o, false, err
	}
	if o, err = queryListOptions(q.query); err != nil {
		return o, false, err
	}
	serverSent = slices.ContainsFunc(q.r.Header["Accept"],
		func(accept string) bool { return strings.Contains(accept, eventStream) })
	if last := q.r.Header.Get("Last-Event-ID"); serverSent && last != "" {
		o.ResourceVersion = last
	}
	return o, serverSent, nil
}

// onlyParameters refuses parameters that what does not take, because a client that sends them relies on their effect.
func onlyParameters(query url.Values, allowed []string, what string) error {
	for name := range query {
		if !slices.Contains(allowed, name) {
			return status.BadRequest(fmt.Sprintf("%s does not take the parameter %s, only %s", what, name,
				strings.Join(allowed, ", ")))
		}
	}
	return nil
}

// watchOf reads one of the watches: the path of a collection, with selectors in its query. It returns the permission
// also with an error that comes later.
func (q *request) watchOf(ctx context.Context, text,
	resourceVersion string) (p *access.Permission, part delivery.WatchPart, err error) {
	u, err := url.Parse(text)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") {
		return nil, part, status.BadRequest(fmt.Sprintf("watch=%s: it must be the path of a resource, such as /apis/example.com/v1/widgets", text))
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err == nil {
		err = onlyParameters(query, []string{"labelSelector", "fieldSelector", resource.FieldQuery}, "watch="+u.Path)
	} else {
		err = status.BadRequest(fmt.Sprintf("watch=%s: the query cannot be parsed", text))
	}
	if err != nil {
		return nil, part, err
	}
	query.Set("watch", "true")
	u.RawQuery = query.Encode()
	question := route.Read(http.MethodGet, u, q.serving)
	res := q.serving.find(apimeta.GroupVersion{Group: question.Group, Version: question.Version}, question.Resource)
	if res == nil || question.Path != "" {
		return nil, part, status.ResourceNotFound()
	}
	namespace := ""
	path := kind.Path(res.GVK.GroupVersion()) + "/"
	if res.Kind.Namespaced && question.Namespace != "" {
		namespace = question.Namespace
		path += "namespaces/" + namespace + "/"
	}
	if at, whole := route.Path(u); !whole || at != path+res.GR.Resource { // the path of an object, for example
		return nil, part, status.BadRequest(fmt.Sprintf("watch=%s: it must be the path of a collection", text))
	}
	switch msgs := apimeta.ValidatePathSegmentName(namespace); {
	case len(msgs) > 0:
		return nil, part, status.BadRequest(fmt.Sprintf("watch=%s: invalid namespace: %s", text, strings.Join(msgs, ", ")))
	case !res.Has(string(VerbWatch)):
		return nil, part, status.MethodNotSupported(res.GR, string(VerbWatch))
	case res.Store != q.api.store:
		return nil, part, status.BadRequest(fmt.Sprintf("watch=%s: the resource has a store of its own, with other revisions",
			text))
	}
	if p, err = q.api.permitWatch(ctx, UserFrom(ctx), question, res.Resource); err != nil {
		return nil, part, err
	}
	part, err = q.partOf(p, res, namespace, query, resourceVersion)
	return p, part, err
}

// partOf reads the selectors of one of the watches.
func (q *request) partOf(p *access.Permission, res *served, namespace string, query url.Values,
	resourceVersion string) (part delivery.WatchPart, err error) {
	options, err := queryListOptions(query)
	if err != nil {
		return part, err
	}
	options.ResourceVersion = resourceVersion
	selected := resource.ListParameters{Only: p.Only, Resume: p.Resume}
	if err := selected.Read(options, res.Resource); err != nil {
		return part, err
	}
	if err := selected.ReadQuery(resource.QueryText{Conditions: query.Get(resource.FieldQuery)},
		res.Resource); err != nil {
		return part, err
	}
	if part.From, err = follow.BeginningOf(p, res.Resource, namespace, selected); err != nil {
		return part, err
	}
	rep, err := q.api.types.Negotiate(res.media, media.EventStream, media.Accepted{})
	if err != nil {
		return part, err
	}
	part.Events, err = media.NewEvents(res.media, rep, false)
	return part, err
}
