package rest

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// declared is a [Resource] without its type parameter. All that the library does with a declaration works on it: a
// function that knows the Go type exists once for each kind of the host, and costs the host its compiling and its code.
type declared struct {
	// Resource has the fields of the declaration that do not depend on the Go type.
	Resource[apimeta.Document]
	goType       reflect.Type
	given        []string // the names of the fields that are not zero, and of the hooks that are set
	hooks        []string // the names of the hooks that are set
	hookSet      resource.HookSet
	run          runner
	subresources []anySubresource
	versions     []anyVersion
}

// anySubresource and anyVersion are SubresourceOf and VersionOf of any Go type.
type (
	anySubresource interface {
		subresource(parent *resource.Resource) (*servedSubresource, error)
	}
	anyVersion interface {
		version(stored *served) (*served, error)
	}
)

// declared returns the declaration without its type parameter.
func (r Resource[T]) declared() *declared {
	return declare(reflect.ValueOf(r), reflect.TypeFor[T](), r.Hooks.run, r.strategy)
}

// declare copies a declaration field by field.
func declare(of reflect.Value, goType reflect.Type, run runner, strategy *resource.Strategy) *declared {
	d := &declared{goType: goType, run: run}
	d.strategy = strategy
	into := reflect.ValueOf(&d.Resource).Elem()
	for field, value := range of.Fields() {
		if !value.IsZero() {
			d.given = append(d.given, field.Name)
		}
		switch field.Name {
		case "strategy":
		case "Hooks":
			for hook, f := range value.Fields() {
				if !f.IsZero() {
					d.hooks = append(d.hooks, hook.Name)
				}
			}
		case "Subresources":
			d.subresources = elements[anySubresource](value)
		case "Versions":
			d.versions = elements[anyVersion](value)
		default:
			into.FieldByIndex(field.Index).Set(value)
		}
	}
	d.hookSet = resource.HookSet{Defaults: d.has("Default"), Prepare: d.has("Prepare"), Validate: d.has("Validate"),
		ValidateDelete: d.has("ValidateDelete"), GracePeriod: d.has("GracePeriod")}
	return d
}

// elements returns the elements of a list of interfaces, some of which may be nil.
func elements[E any](list reflect.Value) (all []E) {
	for i := range list.Len() {
		e, _ := list.Index(i).Interface().(E)
		all = append(all, e)
	}
	return all
}

// has reports whether a hook is set.
func (d *declared) has(hook string) bool { return slices.Contains(d.hooks, hook) }

// isDocument reports whether the kind has no Go struct.
func (d *declared) isDocument() bool { return d.goType == reflect.TypeFor[apimeta.Document]() }

// kindName returns the name of the kind: by default, the name of its Go struct.
func (d *declared) kindName() string {
	if d.Names.Kind != "" || d.isDocument() {
		return d.Names.Kind
	}
	return d.goType.Name()
}
