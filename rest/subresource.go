package rest

import (
	"context"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// SubresourceOf is a subresource of a resource whose objects are T: a [Subresource] or a [Stream] of T and another Go
// type.
type SubresourceOf[T any] interface {
	subresource(parent *resource.Resource) (*servedSubresource, error)
}

// Subresource declares a view of an object, or an action on it, at its own URL …/NAME/SUBRESOURCE (API conventions,
// Verbs on Resources). T is the Go type of the object and S that of the subresource. The functions that are set
// determine the verbs. An error of package status is the answer; any other error, and a panic, is answered with 500.
type Subresource[T, S any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Group, Version and Kind are the kind of S. Default: the resource's group and version, and the name of S.
	Group, Version, Kind string
	// Accepts are other versions of the kind, with the same fields, in which clients may send the body of a POST.
	Accepts []apimeta.GroupVersion

	// Get answers GET with the view of the object. If it returns nil, the answer is 404.
	Get func(ctx context.Context, parent *T) (*S, error)
	// Update answers PUT and PATCH by changing the object according to sub. The changed object is validated and stored
	// like in any other update. It cannot change the status. Update needs Get.
	Update func(ctx context.Context, parent *T, sub *S) error
	// Check refuses the body of a POST before the server looks for the object. name is that of the object in the URL. By
	// default, the server refuses a body with another name.
	Check func(name string, sub *S) error
	// Create answers POST by running an action on the object. The answer is its result with 201, or a Status if the result
	// is nil. parent is a snapshot. Without Claim nothing orders two requests, so Create runs for each of them, perhaps at
	// once.
	Create func(ctx context.Context, parent *T, sub *S) (*S, error)
	// CreateDryRun answers POST with dryRun=All: it returns what Create would return, and has no effects. If it is not
	// set, the server only tries the Claim of the action, and refuses the request with 400 if there is none.
	CreateDryRun func(ctx context.Context, parent *T, sub *S) (*S, error)

	// Claim makes an action run once. It runs before Create, and records in the status of parent that the action begins.
	// The server stores the claimed object, and only then calls Create with it. If another write commits first, Claim runs
	// again on the newer object. So a Claim that finds the object claimed returns an error, which is the answer, and
	// Create does not run. A Claim that changes nothing is a mistake, which the server answers with 500.
	//
	// Claim and Settle may change the status or, if the kind has none, the object. The result is validated and stored like
	// in any other update, but admission hooks do not see it: they have seen the request. Claim has no side effects,
	// because it may run several times, and in a dry run.
	Claim func(ctx context.Context, parent *T, sub *S) error
	// Settle records in the status what became of the action. Claim requires it. The server calls it once Create has
	// returned, with the result of Create or with its error, on the newest state of the object; several times if other
	// writes commit first. It also runs if Create panics, or if the client has gone away. If the program ends before the
	// server has stored what Settle records, the object stays claimed, and nobody knows whether Create had its effect: see
	// docs/kinds.md.
	Settle func(ctx context.Context, parent *T, result *S, failure error) error
}

// subresource implements [SubresourceOf]. It wraps the functions of the host as functions on documents.
func (s Subresource[T, S]) subresource(parent *resource.Resource) (*servedSubresource, error) {
	t := reflect.TypeFor[S]()
	sub := &resource.Subresource{Name: s.Name, GoType: t, Accepts: s.Accepts,
		Kind: apimeta.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}}
	if s.Version == "" {
		sub.Kind.Group, sub.Kind.Version = parent.GVK.Group, parent.GVK.Version
	}
	if s.Kind == "" {
		sub.Kind.Kind = t.Name()
	}
	if err := resource.CheckSubresourceName(s.Name); err != nil {
		return nil, err
	}
	switch {
	case s.Update != nil && s.Get == nil:
		return nil, fmt.Errorf("subresource %q: Update needs Get", s.Name)
	case s.CreateDryRun != nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: CreateDryRun needs Create", s.Name)
	case (s.Check != nil || len(s.Accepts) > 0) && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: Check and Accepts need Create", s.Name)
	case s.Claim != nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: Claim needs Create", s.Name)
	case (s.Claim == nil) != (s.Settle == nil):
		return nil, fmt.Errorf("subresource %q: Claim and Settle need each other", s.Name)
	case s.Get == nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: neither Get nor Create is set", s.Name)
	}
	var err error
	if sub.Schema, err = parent.Derive(t, schema.Options{}); err != nil {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, err)
	}
	if s.Get != nil {
		sub.Verbs = append(sub.Verbs, kind.Get)
		sub.Get = func(ctx context.Context, parent doc.Value) (v doc.Value, err error) {
			defer resource.EnterHook(ctx, "Get of "+s.Name).Leave(&err)
			obj, err := decodeParent[T](parent)
			if err != nil {
				return doc.Value{}, err
			}
			out, err := s.Get(ctx, obj)
			if err == nil && out == nil {
				err = status.ResourceNotFound() // this object does not have the subresource
			}
			if err != nil {
				return doc.Value{}, err
			}
			return codec.FromGo(out)
		}
		sub.Written = sub.Get
	}
	if s.Update != nil {
		sub.Verbs = append(sub.Verbs, kind.Patch, kind.Update)
		sub.Update = func(ctx context.Context, old, v doc.Value) (changed doc.Value, err error) {
			defer resource.EnterHook(ctx, "Update of "+s.Name).Leave(&err)
			obj, err := decodeParent[T](old)
			if err != nil {
				return doc.Value{}, err
			}
			in := new(S)
			if err := gotype.ToGo(v, in); err != nil {
				return doc.Value{}, status.BadRequest(err.Error())
			}
			return parent.ChangeTyped(old, obj, func() error { return s.Update(ctx, obj, in) })
		}
	}
	if s.Create != nil {
		sub.Verbs = append([]string{kind.Create}, sub.Verbs...)
		sub.Create = actionOf("Create of "+s.Name, s.Create)
	}
	if s.Check != nil {
		sub.Check = func(ctx context.Context, name string, v doc.Value) (err error) {
			defer resource.EnterHook(ctx, "Check of "+s.Name).Leave(&err)
			in := new(S)
			if err := gotype.ToGo(v, in); err != nil {
				return status.BadRequest(err.Error())
			}
			return s.Check(name, in)
		}
	}
	if s.CreateDryRun != nil {
		sub.DryRun = actionOf("CreateDryRun of "+s.Name, s.CreateDryRun)
	}
	if s.Claim != nil {
		sub.Claim, sub.Settle = s.claim(parent), s.settle(parent)
	}
	message, err := media.MessageOf[S](parent.KnownTypes())
	return &servedSubresource{Subresource: sub, media: media.OfSubresource(parent.Kind, parent.Dialect, message)}, err
}

// claim wraps Claim as a function on documents.
func (s Subresource[T, S]) claim(of *resource.Resource) func(ctx context.Context, parent, sub doc.Value) (doc.Value,
	error) {
	return func(ctx context.Context, parent, v doc.Value) (changed doc.Value, err error) {
		defer resource.EnterHook(ctx, "Claim of "+s.Name).Leave(&err)
		obj, err := decodeParent[T](parent)
		if err != nil {
			return doc.Value{}, err
		}
		in := new(S)
		if err := gotype.ToGo(v, in); err != nil {
			return doc.Value{}, status.BadRequest(err.Error())
		}
		return of.ChangeTyped(parent, obj, func() error { return s.Claim(ctx, obj, in) })
	}
}

// settle wraps Settle as a function on documents.
func (s Subresource[T, S]) settle(of *resource.Resource) func(ctx context.Context, parent, answer doc.Value,
	failure error) (doc.Value, error) {
	return func(ctx context.Context, parent, answer doc.Value, failure error) (changed doc.Value, err error) {
		defer resource.EnterHook(ctx, "Settle of "+s.Name).Leave(&err)
		obj, err := decodeParent[T](parent)
		if err != nil {
			return doc.Value{}, err
		}
		var result *S
		if !answer.IsAbsent() {
			result = new(S)
			if err := codec.ToGo(answer, result); err != nil {
				return doc.Value{}, err
			}
		}
		return of.ChangeTyped(parent, obj, func() error { return s.Settle(ctx, obj, result, failure) })
	}
}

// actionOf wraps a function of the host as a function on documents.
func actionOf[T, S any](name string,
	f func(ctx context.Context, parent *T, sub *S) (*S,
		error)) func(ctx context.Context, parent, sub doc.Value) (doc.Value, error) {
	return func(ctx context.Context, parent, v doc.Value) (out doc.Value, err error) {
		defer resource.EnterHook(ctx, name).Leave(&err)
		obj, err := decodeParent[T](parent)
		if err != nil {
			return doc.Value{}, err
		}
		in := new(S)
		if err := gotype.ToGo(v, in); err != nil {
			return doc.Value{}, status.BadRequest(err.Error())
		}
		answer, err := f(ctx, obj, in)
		if err != nil || answer == nil {
			return doc.Value{}, err
		}
		return codec.FromGo(answer)
	}
}

// decodeParent decodes a stored object into a new value, which the hook may change.
func decodeParent[T any](parent doc.Value) (*T, error) {
	obj := new(T)
	if err := codec.ToGo(parent, obj); err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return obj, nil
}
