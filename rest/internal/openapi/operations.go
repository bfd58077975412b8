package openapi

import (
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// The media types of objects in requests and answers.
const (
	mediaJSON  = "application/json"
	mediaYAML  = "application/yaml"
	mediaWatch = "application/json;stream=watch"
)

var objectMedia = []string{mediaJSON, mediaYAML}

// Operations list these codes for their answers.
var (
	done            = []string{"200"}
	doneOrCreated   = []string{"200", "201"}
	doneOrAccepted  = []string{"200", "201", "202"}
	endedOrAccepted = []string{"200", "202"}
)

// route is a path with its operations.
type route struct {
	path       string
	parameters []parameter
	operations []*operation
}

// operation is what a method does at a path.
type operation struct {
	method      string // lower case, as OpenAPI has it
	id          string
	action      string // the verb, as x-kubernetes-action has it; empty outside of all groups
	tag         string
	description string
	kind        apimeta.GroupVersionKind // empty outside of all groups
	parameters  []parameter
	takes       string   // the name of the schema of the body; empty for none
	takesMedia  []string // its media types
	optional    bool     // whether the body may be left out
	gives       string   // the name of the schema of the answer; empty for bytes
	givesMedia  []string
	statuses    []string // the codes of answers that hold it
}

// routes defines the schemas of the kinds, and returns the paths below which they are served, in order.
func (d *definitions) routes(kinds []*kind.Kind) ([]route, error) {
	var versions []apimeta.GroupVersion
	for _, k := range kinds {
		if gv := k.GroupVersion(); !slices.Contains(versions, gv) {
			versions = append(versions, gv)
		}
	}
	own, err := d.addOwnTypes(versions)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds { // all kinds are named before one is written out, as one may be part of another
		if s := k.Schema; s != nil && s.Object != nil && d.names[s.Object] == "" {
			d.names[s.Object] = kindName(k.GroupVersionKind)
		}
	}
	var all []route
	for _, k := range kinds {
		d.selects(d.addKind(k.GroupVersionKind, k.Schema, k.Description), k.SelectableFields)
		list, err := d.addList(k)
		if err != nil {
			return nil, err
		}
		w := routeWriter{kind: k, own: own, list: list, tag: camelLower(k)}
		all = append(all, w.collection(), w.item())
		if k.Namespaced {
			all = append(all, w.everywhere())
		}
		for _, sub := range k.Subresources {
			if sub.Stream != nil {
				all = append(all, w.stream(sub)...)
				continue
			}
			all = append(all, w.subresource(d, sub))
		}
	}
	all = slices.DeleteFunc(all, func(r route) bool { return len(r.operations) == 0 })
	ids := map[string]string{}
	for _, r := range all {
		for _, o := range r.operations {
			if other, taken := ids[o.id]; taken {
				return nil, fmt.Errorf("openapi: %s and %s would both be the operation %s", other, r.path, o.id)
			}
			ids[o.id] = r.path
		}
	}
	return all, nil
}

// camelLower returns the tag under which the operations of a group and version stand, e.g. exampleCom_v1.
func camelLower(k *kind.Kind) string {
	if k.Group == "" {
		return "core_" + k.Version
	}
	name := camel(k.Group)
	return string(name[0]|0x20) + name[1:] + "_" + k.Version
}

// routeWriter makes the routes of one kind.
type routeWriter struct {
	kind *kind.Kind
	own  own
	list string
	tag  string
}

func (w *routeWriter) base() string {
	path := kind.Path(w.kind.GroupVersion())
	if w.kind.Namespaced {
		path += "/namespaces/{namespace}"
	}
	return path + "/" + w.kind.Plural
}

func (w *routeWriter) can(verb string) bool { return slices.Contains(w.kind.Verbs, verb) }

// id names an operation as upstream does: readExampleComV1NamespacedWidgetStatus.
func (w *routeWriter) id(action, collection, suffix string) string {
	group := camel(w.kind.Group)
	if group == "" {
		group = "Core"
	}
	if w.kind.Namespaced && suffix != "ForAllNamespaces" {
		collection += "Namespaced"
	}
	return action + group + camel(w.kind.Version) + collection + w.kind.Kind + suffix
}

func (w *routeWriter) collection() route {
	k := w.kind
	r := route{path: w.base(), parameters: pathParameters(k.Namespaced, false, k.Kind)}
	name := kindName(k.GroupVersionKind)
	if w.can("list") {
		r.operations = append(r.operations, w.listing(""))
	}
	if w.can("create") {
		r.operations = append(r.operations, &operation{method: "post", id: w.id("create", "", ""), action: "post",
			description: "create a " + k.Kind, parameters: writeParameters, takes: name, gives: name,
			statuses: doneOrAccepted})
	}
	if w.can("deletecollection") {
		r.operations = append(r.operations,
			&operation{method: "delete", id: w.id("delete", "Collection", ""), action: "deletecollection",
				description: "delete collection of " + k.Kind,
				parameters:  append(deleteParameters, selectParameters(k)...),
				takes:       w.own.deleteOptions, optional: true, gives: w.own.status, statuses: done})
	}
	return w.common(r, k.GroupVersionKind)
}

func (w *routeWriter) listing(suffix string) *operation {
	o := &operation{method: "get", id: w.id("list", "", suffix), action: "list",
		description: "list objects of kind " + w.kind.Kind, parameters: listParameters(w.kind), gives: w.list,
		givesMedia: objectMedia, statuses: done}
	if w.can("watch") {
		o.description = "list or watch objects of kind " + w.kind.Kind
		o.givesMedia = append(o.givesMedia, mediaWatch)
	}
	return o
}

// everywhere is the collection of all namespaces.
func (w *routeWriter) everywhere() route {
	k := w.kind
	r := route{path: kind.Path(k.GroupVersion()) + "/" + k.Plural, parameters: pathParameters(false, false, k.Kind)}
	if w.can("list") {
		r.operations = append(r.operations, w.listing("ForAllNamespaces"))
	}
	return w.common(r, k.GroupVersionKind)
}

func (w *routeWriter) item() route {
	k := w.kind
	r := route{path: w.base() + "/{name}", parameters: pathParameters(k.Namespaced, true, k.Kind)}
	name := kindName(k.GroupVersionKind)
	r.operations = w.itemOperations(k.Verbs, name, "", "the specified "+k.Kind)
	return w.common(r, k.GroupVersionKind)
}

func (w *routeWriter) subresource(d *definitions, sub kind.Subresource) route {
	if sub.History || sub.Undo {
		return w.past(d, sub)
	}
	k := w.kind
	r := route{path: w.base() + "/{name}/" + sub.Name, parameters: pathParameters(k.Namespaced, true, k.Kind)}
	gvk := k.GroupVersionKind
	name := kindName(gvk)
	if !sub.OfObject {
		gvk = sub.GroupVersionKind
		name = d.addKind(gvk, sub.Schema, sub.Kind+" is what the subresource "+sub.Name+" holds.")
	}
	r.operations = w.itemOperations(sub.Verbs, name, camel(sub.Name), sub.Name+" of the specified "+k.Kind)
	if slices.Contains(sub.Verbs, "create") {
		r.operations = append(r.operations, &operation{method: "post", id: w.id("create", "", camel(sub.Name)), action: "post",
			description: "create " + sub.Name + " of a " + k.Kind, parameters: writeParameters, takes: name, gives: name,
			statuses: doneOrAccepted})
	}
	return w.common(r, gvk)
}

// itemOperations are those of one object, or of a part of it.
func (w *routeWriter) itemOperations(verbs []string, name, suffix, what string) []*operation {
	var all []*operation
	if slices.Contains(verbs, "get") {
		all = append(all, &operation{method: "get", id: w.id("read", "", suffix), action: "get", description: "read " + what,
			gives: name, statuses: done})
	}
	if slices.Contains(verbs, "update") {
		all = append(all, &operation{method: "put", id: w.id("replace", "", suffix), action: "put",
			description: "replace " + what, parameters: writeParameters, takes: name, gives: name,
			statuses: doneOrCreated})
	}
	if slices.Contains(verbs, "patch") && len(w.kind.PatchTypes) > 0 {
		all = append(all, &operation{method: "patch", id: w.id("patch", "", suffix), action: "patch",
			description: "partially update " + what, parameters: patchParameters(), takes: w.own.patch,
			takesMedia: w.kind.PatchTypes, gives: name, statuses: doneOrCreated})
	}
	if slices.Contains(verbs, "delete") {
		all = append(all, &operation{method: "delete", id: w.id("delete", "", suffix), action: "delete",
			description: "delete " + what, parameters: deleteParameters, takes: w.own.deleteOptions, optional: true,
			gives:    w.own.status,
			statuses: endedOrAccepted})
	}
	return all
}

// common fills in what all operations of a route share. Like set, it is not inlined, so that the program stays small.
//
//go:noinline
func (w *routeWriter) common(r route, gvk apimeta.GroupVersionKind) route {
	for _, o := range r.operations {
		o.kind, o.tag = gvk, w.tag
		if o.takes != "" && o.takesMedia == nil {
			o.takesMedia = objectMedia
		}
		if o.givesMedia == nil {
			o.givesMedia = objectMedia
		}
	}
	return r
}
