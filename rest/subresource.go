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
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// SubresourceOf is a subresource of a resource whose objects are T: a [Subresource] or a [Stream] of T and another Go
// type.
type SubresourceOf[T any] interface {
	subresource(parent *resource.Resource) (*front.Subresource, error)
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
	// Check can refuse the body of a POST before the server looks for the object. name is the object's name in the URL. By
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

// subresource implements [SubresourceOf].
func (s Subresource[T, S]) subresource(parent *resource.Resource) (*front.Subresource, error) {
	return view{
		name: s.Name, kind: apimeta.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind},
		accepts: s.Accepts, goType: reflect.TypeFor[*S]().Elem(), of: parent,
		get: viewing(s.Get), update: changing(s.Update), check: checking(s.Check), create: acting(s.Create),
		dryRun: acting(s.CreateDryRun), claim: changing(s.Claim), settle: settling(s.Settle),
	}.serve()
}

// view is a [Subresource] without its type parameters. An object or a subresource in an any is a pointer to its Go
// type.
type view struct {
	name           string
	kind           apimeta.GroupVersionKind
	accepts        []apimeta.GroupVersion
	goType         reflect.Type
	of             *resource.Resource
	get            func(ctx context.Context, parent any) (any, error)
	update, claim  func(ctx context.Context, parent, sub any) error
	check          func(name string, sub any) error
	create, dryRun func(ctx context.Context, parent, sub any) (any, error)
	settle         func(ctx context.Context, parent, result any, failure error) error
}

// viewing, changing, checking, acting and settling remove the type parameters from functions of the host, which may be
// nil. P and Q are the pointers to an object and to a subresource.

func viewing[P, Q any](f func(context.Context, P) (Q, error)) func(ctx context.Context, parent any) (any, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, parent any) (any, error) { return f(ctx, parent.(P)) }
}

func changing[P, Q any](f func(context.Context, P, Q) error) func(ctx context.Context, parent, sub any) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, parent, sub any) error { return f(ctx, parent.(P), sub.(Q)) }
}

func checking[Q any](f func(string, Q) error) func(name string, sub any) error {
	if f == nil {
		return nil
	}
	return func(name string, sub any) error { return f(name, sub.(Q)) }
}

func acting[P, Q any](f func(context.Context, P, Q) (Q, error)) func(ctx context.Context, parent, sub any) (any,
	error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, parent, sub any) (any, error) { return f(ctx, parent.(P), sub.(Q)) }
}

func settling[P, Q any](f func(context.Context, P, Q, error) error) func(ctx context.Context, parent, result any,
	failure error) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, parent, result any, failure error) error {
		sub, _ := result.(Q)
		return f(ctx, parent.(P), sub, failure)
	}
}

// isNil reports whether a function of the host has returned a nil pointer.
func isNil(sub any) bool { return reflect.ValueOf(sub).IsNil() }

// serve wraps the functions of the host as functions on documents.
func (s view) serve() (*front.Subresource, error) {
	sub := &resource.Subresource{Name: s.name, GoType: s.goType, Kind: s.kind, Accepts: s.accepts}
	if s.kind.Version == "" {
		sub.Kind.Group, sub.Kind.Version = s.of.GVK.Group, s.of.GVK.Version
	}
	if s.kind.Kind == "" {
		sub.Kind.Kind = s.goType.Name()
	}
	if err := resource.CheckSubresourceName(s.name); err != nil {
		return nil, err
	}
	switch {
	case s.update != nil && s.get == nil:
		return nil, fmt.Errorf("subresource %q: Update needs Get", s.name)
	case s.dryRun != nil && s.create == nil:
		return nil, fmt.Errorf("subresource %q: CreateDryRun needs Create", s.name)
	case (s.check != nil || len(s.accepts) > 0) && s.create == nil:
		return nil, fmt.Errorf("subresource %q: Check and Accepts need Create", s.name)
	case s.claim != nil && s.create == nil:
		return nil, fmt.Errorf("subresource %q: Claim needs Create", s.name)
	case (s.claim == nil) != (s.settle == nil):
		return nil, fmt.Errorf("subresource %q: Claim and Settle need each other", s.name)
	case s.get == nil && s.create == nil:
		return nil, fmt.Errorf("subresource %q: neither Get nor Create is set", s.name)
	}
	var err error
	if sub.Schema, err = s.of.Derive(s.goType, schema.Options{}); err != nil {
		return nil, fmt.Errorf("subresource %q: %w", s.name, err)
	}
	if s.get != nil {
		sub.Verbs = append(sub.Verbs, kind.Get)
		sub.Get = s.read
		sub.Written = sub.Get
	}
	if s.update != nil {
		sub.Verbs = append(sub.Verbs, kind.Patch, kind.Update)
		sub.Update = s.changed("Update of ", s.update)
	}
	if s.create != nil {
		sub.Verbs = append([]string{kind.Create}, sub.Verbs...)
		sub.Create = s.action("Create of ", s.create)
	}
	if s.check != nil {
		sub.Check = s.checked
	}
	if s.dryRun != nil {
		sub.DryRun = s.action("CreateDryRun of ", s.dryRun)
	}
	if s.claim != nil {
		sub.Claim, sub.Settle = s.changed("Claim of ", s.claim), s.settled
	}
	message, err := media.MessageOf(s.goType, s.of.KnownTypes())
	return &front.Subresource{Subresource: sub, Media: media.OfSubresource(s.of.Kind, s.of.Dialect, message)}, err
}

// read wraps Get.
func (s view) read(ctx context.Context, parent doc.Value) (v doc.Value, err error) {
	defer resource.EnterHook(ctx, "Get of "+s.name).Leave(&err)
	obj, err := s.parent(parent)
	if err != nil {
		return doc.Value{}, err
	}
	out, err := s.get(ctx, obj)
	if err == nil && isNil(out) {
		err = status.ResourceNotFound() // this object does not have the subresource
	}
	if err != nil {
		return doc.Value{}, err
	}
	return codec.FromGo(out)
}

// input decodes what a client sent to the subresource.
func (s view) input(v doc.Value) (any, error) {
	in := reflect.New(s.goType).Interface()
	if err := gotype.ToGo(v, in); err != nil {
		return nil, status.BadRequest(err.Error())
	}
	return in, nil
}

// changed wraps Update or Claim, which change the object.
func (s view) changed(hook string, f func(ctx context.Context, parent, sub any) error) func(ctx context.Context, parent,
	sub doc.Value) (doc.Value, error) {
	return func(ctx context.Context, parent, v doc.Value) (changed doc.Value, err error) {
		defer resource.EnterHook(ctx, hook+s.name).Leave(&err)
		obj, err := s.parent(parent)
		if err != nil {
			return doc.Value{}, err
		}
		in, err := s.input(v)
		if err != nil {
			return doc.Value{}, err
		}
		return s.of.ChangeTyped(parent, obj, func() error { return f(ctx, obj, in) })
	}
}

// checked wraps Check.
func (s view) checked(ctx context.Context, name string, v doc.Value) (err error) {
	defer resource.EnterHook(ctx, "Check of "+s.name).Leave(&err)
	in, err := s.input(v)
	if err != nil {
		return err
	}
	return s.check(name, in)
}

// action wraps Create or CreateDryRun.
func (s view) action(hook string, f func(ctx context.Context, parent, sub any) (any, error)) func(ctx context.Context,
	parent, sub doc.Value) (doc.Value, error) {
	return func(ctx context.Context, parent, v doc.Value) (out doc.Value, err error) {
		defer resource.EnterHook(ctx, hook+s.name).Leave(&err)
		obj, err := s.parent(parent)
		if err != nil {
			return doc.Value{}, err
		}
		in, err := s.input(v)
		if err != nil {
			return doc.Value{}, err
		}
		answer, err := f(ctx, obj, in)
		if err != nil || isNil(answer) {
			return doc.Value{}, err
		}
		return codec.FromGo(answer)
	}
}

// settled wraps Settle.
func (s view) settled(ctx context.Context, parent, answer doc.Value, failure error) (changed doc.Value, err error) {
	defer resource.EnterHook(ctx, "Settle of "+s.name).Leave(&err)
	obj, err := s.parent(parent)
	if err != nil {
		return doc.Value{}, err
	}
	var result any
	if !answer.IsAbsent() {
		result = reflect.New(s.goType).Interface()
		if err := codec.ToGo(answer, result); err != nil {
			return doc.Value{}, err
		}
	}
	return s.of.ChangeTyped(parent, obj, func() error { return s.settle(ctx, obj, result, failure) })
}

// parent decodes a stored object into a new value, which the hook may change.
func (s view) parent(stored doc.Value) (any, error) {
	obj := reflect.New(s.of.GoType.ObjectType()).Interface()
	return obj, decodeStored(stored, obj)
}

// decodeStored decodes a stored object into the value to which obj points.
func decodeStored(stored doc.Value, obj any) error {
	if err := codec.ToGo(stored, obj); err != nil {
		return fmt.Errorf("stored object: %w", err)
	}
	return nil
}
