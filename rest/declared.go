package rest

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// declared is a [Resource] without its type parameter. The library works on it, because a function with the type
// parameter T costs a host compile time and program size once for each kind: the program contains its code, and a name
// that lists all fields of T. A function whose type parameter is P = *T costs nothing for a further kind, because the
// compiler makes one function for all pointers. So a function or a method
// with T does no more than call one without it or with P. It puts no value whose type contains T on the heap, because
// the program would contain a description of that type.
type declared struct {
	// Resource holds the fields of the declaration that do not depend on the Go type.
	Resource[apimeta.Document]
	goType reflect.Type
	// given are the names of the fields that are not zero, and hooks those of the hooks that are set.
	given, hooks []string
	hookSet      resource.HookSet
	run          runner
	subresources []anySubresource
	versions     []anyVersion
}

// anySubresource is a [SubresourceOf] with any Go type.
type anySubresource interface {
	subresource(parent *resource.Resource) (*front.Subresource, error)
}

// anyVersion is a [VersionOf] with any Go type.
type anyVersion interface {
	version(stored *front.Served) (*front.Served, error)
}

// declared implements [Definition].
func (r Resource[T]) declared() *declared {
	return declare(reflect.ValueOf(r), reflect.TypeFor[*T](), r.strategy, hooks[*T](r.Hooks).runner())
}

// declare copies a Resource of any Go type field by field. pointer is the type of the pointers to its objects.
func declare(of reflect.Value, pointer reflect.Type, strategy *resource.Strategy, run runner) *declared {
	d := &declared{goType: pointer.Elem(), run: run}
	d.strategy = strategy
	into := reflect.ValueOf(&d.Resource).Elem()
	for field, value := range of.Fields() {
		if value.IsZero() {
			continue
		}
		d.given = append(d.given, field.Name)
		switch field.Name {
		case "strategy": // package reflect cannot copy it
		case "Hooks":
			for hook, f := range value.Fields() {
				if !f.IsNil() {
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
	d.hookSet = resource.HookSet{Defaults: d.has("Default"), Canonicalize: d.has("Canonicalize"), Prepare: d.has("Prepare"),
		Validate: d.has("Validate"), ValidateDelete: d.has("ValidateDelete"), GracePeriod: d.has("GracePeriod")}
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
