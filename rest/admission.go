package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// Operation is what a write does to an object, as admission hooks see it.
type Operation string

// The operations. A patch or an apply is an update, or a create if it creates the object. A client connects when it
// opens a [Stream] other than an Output.
const (
	OperationCreate  Operation = "CREATE"
	OperationUpdate  Operation = "UPDATE"
	OperationDelete  Operation = "DELETE"
	OperationConnect Operation = "CONNECT"
)

// SideEffects says what a hook does besides reading and changing the object (API concepts, Dry-run).
type SideEffects string

// If SideEffects is empty, it counts as SideEffectsNone for a hook without Mutate, and as SideEffectsSome for a hook
// with Mutate.
const (
	// SideEffectsNone: the hook has no side effects.
	SideEffectsNone SideEffects = "None"
	// SideEffectsNoneOnDryRun: the hook has no side effects if [AdmissionRequest.DryRun] is set.
	SideEffectsNoneOnDryRun SideEffects = "NoneOnDryRun"
	// SideEffectsSome: the hook has side effects in every write. The API refuses a dry run that the hook would see with
	// 400.
	SideEffectsSome SideEffects = "Some"
)

// Admission is a hook of the host on the writes of many resources. It may depend on the user who writes.
// [Options.Admission] lists the hooks. For each write the API first runs every Mutate in that order, then validates the
// object by the rules of its kind, and then runs every Validate. A rule of one kind that does not depend on the user
// belongs in the kind's [Resource].
//
// A hook refuses the write by returning an error. Clients receive an error of package status as it is, and any other
// error as 403 Forbidden with its text. A panic is answered with 500.
//
// Hooks run outside every lock. They may call the API with the context that they receive. If another write changes the
// object first, the hooks run again, for at most 16 attempts; then the API refuses the write with 409 Conflict. A hook
// that writes the same object always ends that way.
type Admission struct {
	// Name identifies the hook in the error that refuses a dry run. It is a DNS subdomain, required and unique in an API.
	Name string
	// Operations are the operations that the hook sees. Default: all.
	Operations []Operation
	// Resources are the resources that the hook sees, as PLURAL.GROUP, such as "widgets.example.com". A subresource
	// follows a slash: "widgets.example.com/status". Either part may be "*", and "*.example.com" is a whole group. If a
	// kind has versions in several groups, its name in any one of them selects all versions. The hook also sees resources
	// that match when the API takes them later ([API.AddResources]). Default: "*/*", all resources and subresources.
	Resources []string
	// SideEffects decides whether the hook runs in dry runs. Default: a hook without Mutate runs, and a hook with Mutate
	// refuses the dry run.
	SideEffects SideEffects
	// Idle, unless nil, reports that the hook has nothing to do at present, so that a write costs nothing more than
	// without the hook.
	Idle func(ctx context.Context) bool
	// Mutate may change the object. It runs once more if a later hook changes the object after it, and must then leave its
	// own changes in place.
	Mutate func(ctx context.Context, r *AdmissionRequest) error
	// Validate sees the object as it would be stored, and cannot change it.
	Validate func(ctx context.Context, r *AdmissionRequest) error
}

// AdmissionRequest is a write that a hook reviews. The hook must not use it after it has returned.
type AdmissionRequest struct {
	// User is the user who writes, from the context of the request (see [access.WithUser]).
	User access.User
	// Operation is what the write does.
	Operation Operation
	// Kind is the kind of the object, in the stored version, or the kind of the subresource if it has one of its own.
	Kind apimeta.GroupVersionKind
	// Resource and Subresource are the ones in the URL, in the version of the request.
	Resource    apimeta.GroupVersionResource
	Subresource string
	// Namespace is empty for a cluster-scoped resource. Name is set even if the server generates it.
	Namespace, Name string
	// Options are the options of the request.
	Options AdmissionOptions
	// DryRun says that the API will not store the object.
	DryRun bool

	review *write.Review
}

// AdmissionOptions are the options of a request that a hook reviews. Exactly one field is set, and none if the client
// connects. The request decides which one, and not the [Operation]: an apply that creates an object has Patch. Webhooks
// and policies see a Patch as in Kubernetes: as the options of a create or of an update, without force.
type AdmissionOptions struct {
	Create *apimeta.CreateOptions
	Update *apimeta.UpdateOptions
	Patch  *apimeta.PatchOptions
	Delete *apimeta.DeleteOptions
}

// admissionOptions returns the exported view of the options of a review.
func admissionOptions(options any) (out AdmissionOptions) {
	out.Create, _ = options.(*apimeta.CreateOptions)
	out.Update, _ = options.(*apimeta.UpdateOptions)
	out.Patch, _ = options.(*apimeta.PatchOptions)
	out.Delete, _ = options.(*apimeta.DeleteOptions)
	return out
}

// newAdmissionRequest returns the exported view of a review, whose methods stay behind the unexported field.
func newAdmissionRequest(ctx context.Context, r *write.Review) *AdmissionRequest {
	out := &AdmissionRequest{User: access.UserFrom(ctx), Operation: Operation(r.Operation()), Kind: r.Kind(), review: r}
	out.Resource, out.Subresource = r.Where()
	out.Namespace, out.Name = r.Named()
	options, dryRun := r.Options()
	out.Options, out.DryRun = admissionOptions(options), dryRun
	return out
}

// Object decodes the object that the write would store into a value of the host: the Go type of the kind or of one of
// its versions, a struct with some of its fields, or a map. The object is converted to the version of that Go type,
// whatever the version of the request is; for any other type it is in the stored version. If the client connects, the
// object is the options of the stream. A deletion has no object, so Object then fails.
func (r *AdmissionRequest) Object(into any) error { return r.review.Object(into) }

// OldObject decodes the object as it was before the write, in the same way as Object. It fails if the operation has no
// old object.
func (r *AdmissionRequest) OldObject(into any) error { return r.review.OldObject(into) }

// SetObject replaces the object by obj, in the version that Object would use for the type of obj. Fields that the type
// does not have, and zero values that it omits, keep their values. It fails outside of Mutate.
func (r *AdmissionRequest) SetObject(obj any) error { return r.review.SetObject(obj) }

// Patch applies a patch to the object, in the stored version. form is one of the patch types that the resource takes.
// It fails outside of Mutate.
func (r *AdmissionRequest) Patch(form PatchType, data []byte) error {
	return r.review.Patch(string(form), data)
}

// Warn adds a warning for a person to the answer (API conventions, Warnings). Keep the text below 120 characters.
func (r *AdmissionRequest) Warn(text string) { r.review.Warn(text) }

// runsDry reports whether the hook may run in a dry run.
func (h *Admission) runsDry() bool {
	if h.SideEffects == "" {
		return h.Mutate == nil
	}
	return h.SideEffects != SideEffectsSome
}

// hooksOf translates the hooks of the host and of its plug-ins for package write.
func hooksOf(admission []Admission) []*write.Hook {
	hooks := make([]*write.Hook, len(admission))
	for i, h := range admission {
		hooks[i] = &write.Hook{Name: h.Name, Resources: h.Resources, SideEffects: string(h.SideEffects), RunsDry: h.runsDry(),
			Idle: h.Idle}
		for _, op := range h.Operations {
			hooks[i].Operations = append(hooks[i].Operations, string(op))
		}
		if h.Mutate != nil {
			hooks[i].Mutate = func(ctx context.Context, r *write.Review) error {
				return h.Mutate(ctx, newAdmissionRequest(ctx, r))
			}
		}
		if h.Validate != nil {
			hooks[i].Validate = func(ctx context.Context, r *write.Review) error {
				return h.Validate(ctx, newAdmissionRequest(ctx, r))
			}
		}
	}
	return hooks
}
