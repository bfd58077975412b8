package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Operation is what a write does, as admission sees it.
type Operation string

// The operations. A patch of any type is an update, or a create where it creates. To connect is to use a [Stream] other than an
// output.
const (
	OperationCreate  Operation = "CREATE"
	OperationUpdate  Operation = "UPDATE"
	OperationDelete  Operation = "DELETE"
	OperationConnect Operation = "CONNECT"
)

// SideEffects says what a hook does beside looking at the object and changing it (API concepts, Dry-run).
type SideEffects string

// The zero value declares nothing. It counts as SideEffectsNone for a hook that only validates, and else as
// SideEffectsSome.
const (
	// SideEffectsNone is a hook without any.
	SideEffectsNone SideEffects = "None"
	// SideEffectsNoneOnDryRun is a hook that has none when [AdmissionRequest.DryRun] is set.
	SideEffectsNoneOnDryRun SideEffects = "NoneOnDryRun"
	// SideEffectsSome is a hook that must not see a dry run: one that it would see is refused with 400.
	SideEffectsSome SideEffects = "Some"
)

// Admission is a hook of the host's on the writes of many resources, or on who writes them. It is set in
// [Options.Admission], whose order is the order of the hooks: first every Mutate, then the rules of the kind, then every
// Validate. Rules of one kind that do not depend on the user belong into its [Resource].
//
// An error refuses the write: an error of package status as it is, any other as 403 Forbidden with its text; a panic is 500.
// Hooks run outside every lock and may call the API, with the context that they are given. They may run several times for one
// write: 16 times when its object changes each time, which a hook that writes this object brings about itself; then the write is
// refused with 409 Conflict.
type Admission struct {
	// Name says who refuses a dry run. It is required, and unique in an API.
	Name string
	// Operations are those that the hook sees. Default: all.
	Operations []Operation
	// Resources are those that the hook sees, by plural and group, "widgets.example.com", and subresources after a slash,
	// "widgets.example.com/status"; either part can be "*". Default: "*/*", all resources and subresources.
	Resources []string
	// SideEffects decides on dry runs. Default: a hook without Mutate runs in them, and one with it refuses them.
	SideEffects SideEffects
	// Mutate may change the object. It runs once more when a later hook has changed the object after it, and must then
	// leave its own work as it is.
	Mutate func(ctx context.Context, r *AdmissionRequest) error
	// Validate sees the object as it would be stored.
	Validate func(ctx context.Context, r *AdmissionRequest) error
}

// AdmissionRequest is one write that asks for admission. It is valid until the hook returns.
type AdmissionRequest struct {
	// User is who writes: that of the context (see [WithUser]).
	User User
	// Operation is what the write does.
	Operation Operation
	// Kind is that of the objects, in the stored version if there are several, or the subresource's own where there is one.
	Kind apimeta.GroupVersionKind
	// Resource and Subresource are those of the URL, in the version of the request.
	Resource    apimeta.GroupVersionResource
	Subresource string
	// Namespace is empty for cluster-scoped resources. Name is there also when it was generated.
	Namespace, Name string
	// Options are those of the request: *apimeta.CreateOptions, *apimeta.UpdateOptions, *apimeta.PatchOptions or
	// *apimeta.DeleteOptions; nil to connect.
	Options any
	// DryRun says that nothing will be stored.
	DryRun bool

	review *resource.Review
}

// newAdmissionRequest shows a hook of the host's what it reviews.
func newAdmissionRequest(ctx context.Context, r *resource.Review) *AdmissionRequest {
	out := &AdmissionRequest{User: UserFrom(ctx), Operation: Operation(r.Operation()), Kind: r.Kind(), review: r}
	out.Resource, out.Subresource = r.Resource()
	out.Namespace, out.Name = r.Named()
	out.Options, out.DryRun = r.Options()
	return out
}

// Object decodes the object that is written into a value of the host's: the Go type of the kind or of one of its versions, a
// part of it, or a map. It is converted to the version of the Go type, whatever the version of the request is, and to the stored
// version for a type that is none of theirs. Of a request to connect it is the options. It fails for deletions, which have none.
func (r *AdmissionRequest) Object(into any) error { return r.review.Object(into) }

// OldObject decodes the object as it was, as Object does. It fails where nothing is changed or deleted.
func (r *AdmissionRequest) OldObject(into any) error { return r.review.OldObject(into) }

// SetObject changes the object, in the version in which Object decodes into such a value, to what obj says. What the Go type of
// obj does not show stays as it is: fields that the type does not have, and zeros where it leaves them out.
func (r *AdmissionRequest) SetObject(obj any) error { return r.review.SetObject(obj) }

// Patch changes the object by a patch, whatever its kind, in the stored version if there are several. The forms are those that
// the resource itself takes.
func (r *AdmissionRequest) Patch(form PatchType, data []byte) error {
	return r.review.Patch(string(form), data)
}

// Warn adds a warning to the answer, for a person to read (API conventions, Warnings). Keep it below 120 characters.
func (r *AdmissionRequest) Warn(text string) { r.review.Warn(text) }

// runsDry reports whether the hook may run in a dry run.
func (h *Admission) runsDry() bool {
	if h.SideEffects == "" {
		return h.Mutate == nil
	}
	return h.SideEffects != SideEffectsSome
}

// check says what is wrong with a hook.
func (h *Admission) check(resources []*served) error {
	if msgs := apimeta.ValidateDNS1123Subdomain(h.Name); len(msgs) > 0 {
		return fmt.Errorf("name: %s", msgs[0])
	}
	if h.Mutate == nil && h.Validate == nil {
		return errors.New("neither Mutate nor Validate is set")
	}
	for _, op := range h.Operations {
		if !slices.Contains([]Operation{OperationCreate, OperationUpdate, OperationDelete, OperationConnect}, op) {
			return fmt.Errorf("Operations: %q is no operation", op)
		}
	}
	if !slices.Contains([]SideEffects{"", SideEffectsNone, SideEffectsNoneOnDryRun, SideEffectsSome}, h.SideEffects) {
		return fmt.Errorf("SideEffects: %q is none of None, NoneOnDryRun, Some", h.SideEffects)
	}
	for _, pattern := range h.Resources {
		if !slices.ContainsFunc(resources, func(res *served) bool { return resource.PatternServed(pattern, res.Resource) }) {
			return fmt.Errorf("Resources: the API does not serve %q", pattern)
		}
	}
	return nil
}

// hooksOf are the hooks of a host as resources call them.
func hooksOf(admission []Admission) []*resource.Hook {
	hooks := make([]*resource.Hook, len(admission))
	for i, h := range admission {
		hooks[i] = &resource.Hook{Name: h.Name, Resources: h.Resources, RunsDry: h.runsDry()}
		for _, op := range h.Operations {
			hooks[i].Operations = append(hooks[i].Operations, string(op))
		}
		if h.Mutate != nil {
			hooks[i].Mutate = func(ctx context.Context, r *resource.Review) error { return h.Mutate(ctx, newAdmissionRequest(ctx, r)) }
		}
		if h.Validate != nil {
			hooks[i].Validate = func(ctx context.Context, r *resource.Review) error {
				return h.Validate(ctx, newAdmissionRequest(ctx, r))
			}
		}
	}
	return hooks
}

// checkHooks says what is wrong with the hooks of an API that serves these resources.
func checkHooks(hooks []Admission, resources []*served) error {
	names := map[string]bool{}
	for i := range hooks {
		h := &hooks[i]
		if err := h.check(resources); err != nil {
			return fmt.Errorf("admission %q: %w", h.Name, err)
		}
		if names[h.Name] {
			return fmt.Errorf("admission %q: there is another one of this name", h.Name)
		}
		names[h.Name] = true
	}
	return nil
}
