package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
)

// resource is a resource that clients can create objects of.
type resource struct {
	Name, Kind string
	Namespaced bool
	Verbs      []string
}

// kinds remembers what discovery says about the kinds of the API.
type kinds struct {
	mu    sync.Mutex
	known map[apimeta.GroupVersion][]resource
}

// forget makes the next question ask the API again.
func (k *kinds) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = nil
}

// resourceOf returns the resource of a kind, or nil if the API serves none.
func (v *Validator) resourceOf(ctx context.Context, kind apimeta.GroupVersionKind) (*resource, error) {
	gv := kind.GroupVersion()
	v.kinds.mu.Lock()
	defer v.kinds.mu.Unlock()
	all, asked := v.kinds.known[gv]
	if !asked {
		found, err := v.discover(ctx, gv)
		if err != nil {
			return nil, err
		}
		if v.kinds.known == nil {
			v.kinds.known = map[apimeta.GroupVersion][]resource{}
		}
		all, v.kinds.known[gv] = found, found
	}
	i := slices.IndexFunc(all, func(r resource) bool { return r.Kind == kind.Kind })
	if i < 0 {
		return nil, nil
	}
	return &all[i], nil
}

func (v *Validator) discover(ctx context.Context, gv apimeta.GroupVersion) ([]resource, error) {
	a, err := v.send(ctx, http.MethodGet, pathOf(gv), "", nil)
	if err != nil || a.code == http.StatusNotFound {
		return nil, err
	}
	if a.code != http.StatusOK {
		return nil, fmt.Errorf("validate: discovery of %s: %s", gv, a.failure().Message)
	}
	var list struct{ Resources []resource }
	if err := json.Unmarshal(a.body.Bytes(), &list); err != nil {
		return nil, fmt.Errorf("validate: discovery of %s: %w", gv, err)
	}
	return slices.DeleteFunc(list.Resources, func(r resource) bool {
		return strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, string(access.VerbCreate))
	}), nil
}

// versionsOf returns the versions in which the API serves a kind, the preferred one first.
func (v *Validator) versionsOf(ctx context.Context, kind apimeta.GroupKind) (all []string, err error) {
	if kind.Group == "" {
		return nil, nil
	}
	a, err := v.send(ctx, http.MethodGet, "/apis/"+url.PathEscape(kind.Group), "", nil)
	if err != nil || a.code != http.StatusOK {
		return nil, err
	}
	var group struct{ Versions []struct{ Version string } }
	if err := json.Unmarshal(a.body.Bytes(), &group); err != nil {
		return nil, fmt.Errorf("validate: discovery of %s: %w", kind.Group, err)
	}
	for _, version := range group.Versions {
		gv := apimeta.GroupVersion{Group: kind.Group, Version: version.Version}
		if res, err := v.resourceOf(ctx, gv.WithKind(kind.Kind)); err != nil {
			return nil, err
		} else if res != nil {
			all = append(all, gv.String())
		}
	}
	return all, nil
}

func pathOf(gv apimeta.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + url.PathEscape(gv.Version)
	}
	return "/apis/" + url.PathEscape(gv.Group) + "/" + url.PathEscape(gv.Version)
}

// path returns the path of the objects of a resource in a namespace, or of one of them.
func (r *resource) path(kind apimeta.GroupVersionKind, namespace, name string) string {
	path := pathOf(kind.GroupVersion())
	if r.Namespaced {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	path += "/" + r.Name
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	return path
}
