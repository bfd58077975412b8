package requestlog

import (
	"log/slog"
	"strings"

	"github.com/decorum-go/decorum/rest/observe"
)

// route is what many requests share.
type route struct{ method, verb, group, resource, version, subresource string }

// attributes returns the attributes with which the lines of the route begin.
func (r *route) attributes() (all attributes) {
	all.text("method", r.method)
	all.text("verb", r.verb)
	all.text("resource", resourceOf(r.group, r.resource))
	all.text("version", r.version)
	all.text("subresource", r.subresource)
	return all
}

// clone returns the route with texts of its own. Those of a request are parts of its URI, which may be large.
func (r route) clone() route {
	for _, text := range []*string{&r.method, &r.verb, &r.group, &r.resource, &r.version, &r.subresource} {
		*text = strings.Clone(*text)
	}
	return r
}

// handler returns the handler of a line about a request. It has formatted the attributes of the route once for all
// lines. For a request whose route clients choose freely, handler adds the attributes to those of the line.
func (o *observer) handler(r *observe.Request, into *attributes) slog.Handler {
	base, a := o.options.Logger.Handler(), &r.Access
	of := route{r.HTTP.Method, string(a.Verb), a.Group, a.Resource, a.Version, a.Subresource}
	if r.Refused == nil && !r.Unknown && a.Path == "" {
		handler, ok := o.handlers.Load(of)
		if !ok {
			of = of.clone()
			handler = o.handlers.Add(of, base.WithAttrs(of.attributes()))
		}
		return handler
	}
	*into = append(*into, of.attributes()...)
	into.text("path", a.Path)
	return base
}
