package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/exchange"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/rest/internal/service"
)

// AddResources makes a running API serve further resources, as if [New] had received them. All appear at once: their
// routes, discovery, OpenAPI documents and clients. If the store holds objects of a resource from before, the API
// serves them with their uids and resourceVersions, and with the defaults of the new declaration.
//
// If a declaration is wrong, if a resource is served already, or if a name belongs to another kind of the group, the
// error names the kind and the field or the name, and the API serves what it served before. Several APIs may share a
// store. They must declare a resource alike if they serve it at the same time.
//
// AddResources, ReplaceResources and WithdrawResources may be called at any time, and change one thing after the other.
// Hooks may call them too, but not those that run because AddResources or ReplaceResources creates a
// [Resource.Singleton].
func (a *API) AddResources(ctx context.Context, definitions ...Definition) error {
	return a.exchange(ctx, "AddResources", func(s *front.Serving, x *exchange.Exchange) (stored []*front.Served, err error) {
		stored = slices.Clone(s.Kinds)
		for _, d := range definitions {
			res, err := a.build(d)
			if err != nil {
				return nil, err
			}
			if index(s, res.GR) >= 0 {
				return nil, &NameTakenError{Kind: res.GVK.Kind, reason: fmt.Sprintf("the API already serves %s", res.GR)}
			}
			stored = append(stored, res)
			x.Take(res.Resource)
		}
		return stored, nil
	})
}

// ReplaceResources gives newer declarations to resources that the API serves: another schema, other columns, a version
// more or less, another stored version. The resource of a declaration is the one with the Group and Plural of its
// stored version; its Scope cannot change. All declarations change at once, or none. The objects stay, with their uids
// and resourceVersions. They are converted to the stored version, pruned and defaulted by the new declaration. If that
// fails for one of them, the error names it and nothing changes.
//
// Requests under way finish. A write that has not been committed when the declaration changes starts again under the
// new one. Watches over HTTP end without an error, as those of kube-apiserver do when a CustomResourceDefinition
// changes, and clients watch again. Watches of in-process clients end with an error for which [status.IsExpired] holds;
// [Client.Follow] goes on. If the form of the stored objects has changed, the history before the change is gone: lists
// and watches at an older resourceVersion get 410 Expired.
func (a *API) ReplaceResources(ctx context.Context, definitions ...Definition) error {
	return a.exchange(ctx, "ReplaceResources", func(s *front.Serving, x *exchange.Exchange) (stored []*front.Served, err error) {
		stored = slices.Clone(s.Kinds)
		for _, d := range definitions {
			next, err := a.build(d)
			if err != nil {
				return nil, err
			}
			i := index(s, next.GR)
			switch {
			case i < 0:
				return nil, fmt.Errorf("kind %q: the API does not serve %s", next.GVK.Kind, next.GR)
			case stored[i] != s.Kinds[i]:
				return nil, fmt.Errorf("kind %q: declared twice", next.GVK.Kind)
			case stored[i].Kind.Namespaced != next.Kind.Namespaced:
				return nil, fmt.Errorf("kind %q: Scope: must not change", next.GVK.Kind)
			case stored[i].Kind.Virtual != next.Kind.Virtual:
				return nil, fmt.Errorf("kind %q: Hooks.Call: a virtual kind cannot become a stored one, nor the reverse",
					next.GVK.Kind)
			}
			x.Replace(stored[i].Resource, next.Resource)
			stored[i] = next
		}
		return stored, nil
	})
}

// WithdrawResources stops serving resources, each named by the group and plural of its stored version. The store keeps
// their objects, and serves them again after the next AddResources of the resource. Another API over the same store is
// not affected.
//
// A resource without objects leaves nothing behind, and may come back with another Scope.
//
// From now on the resources are unknown: requests get 404 NotFound, and so do calls of in-process clients. Requests
// under way finish. Watches receive what has happened until now and end without an error, as those of kube-apiserver do
// when a CustomResourceDefinition is deleted. Watches of in-process clients end with NotFound. WithdrawResources waits
// for all these before the store stops serving the resource: until ctx ends, and 10 seconds at most. It does not wait
// if a hook calls it.
func (a *API) WithdrawResources(ctx context.Context, resources ...apimeta.GroupResource) error {
	return a.exchange(ctx, "WithdrawResources", func(s *front.Serving, x *exchange.Exchange) (stored []*front.Served, err error) {
		for _, gr := range resources {
			if index(s, gr) < 0 {
				return nil, fmt.Errorf("the API does not serve %s", gr)
			}
		}
		for _, res := range s.Kinds {
			if slices.Contains(resources, res.GR) {
				x.GiveUp(res.Resource)
			} else {
				stored = append(stored, res)
			}
		}
		return stored, nil
	})
}

// Expect announces resources that the API will serve soon, in place of those announced before. As long as the API does
// not serve them, it answers their paths with 503 ServiceUnavailable and Retry-After instead of 404, because clients
// take a 404 for the last word. A replica that lags behind uses this for kinds that another replica serves already.
func (a *API) Expect(resources ...apimeta.GroupVersionResource) {
	expected := make(map[apimeta.GroupVersionResource]bool, len(resources))
	for _, gvr := range resources {
		expected[gvr] = true
	}
	a.front.Expect(expected)
}

// build builds the resource of a definition.
func (a *API) build(d Definition) (*front.Served, error) {
	if d == nil {
		return nil, errors.New("a resource is nil")
	}
	res, err := d.declared().serve(a.env)
	if err == nil && res.GR.Group == notes.Group {
		err = fmt.Errorf("kind %q: Group %q: belongs to records of the API", res.GVK.Kind, notes.Group)
	}
	if err != nil {
		return res, err
	}
	for _, version := range res.Versions() {
		version.Service = &service.Local{Resource: version.Resource, Writes: a.writes}
	}
	return res, nil
}
