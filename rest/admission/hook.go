package admission

import "context"

// Operation is what a write does to an object, as hooks see it.
type Operation string

// The operations. A patch or an apply is an update, or a create if it creates the object. A client connects when it
// opens a stream that takes input.
const (
	Create  Operation = "CREATE"
	Update  Operation = "UPDATE"
	Delete  Operation = "DELETE"
	Connect Operation = "CONNECT"
)

// SideEffects says what a hook does besides reading and changing the object (API concepts, Dry-run).
type SideEffects string

// If SideEffects is empty, it counts as SideEffectsNone for a hook without Mutate, and as SideEffectsSome for a hook
// with Mutate.
const (
	// SideEffectsNone: the hook has no side effects.
	SideEffectsNone SideEffects = "None"
	// SideEffectsNoneOnDryRun: the hook has no side effects if [Request.DryRun] is set.
	SideEffectsNoneOnDryRun SideEffects = "NoneOnDryRun"
	// SideEffectsSome: the hook has side effects in every write. The API refuses a dry run that the hook would see with
	// 400.
	SideEffectsSome SideEffects = "Some"
)

// Hook is host code that sees the writes of many resources. It may depend on the user who writes. For each write the
// API first runs every Mutate in the order of the hooks, then validates the object by the rules of its kind, and then
// runs every Validate.
//
// A hook refuses the write by returning an error. Clients receive an error of package status as it is, and any other
// error as 403 Forbidden with its text. A panic is answered with 500.
//
// Hooks run outside every lock. They may call the API with the context that they receive. If another write changes the
// object first, the hooks run again, for at most 16 attempts; then the API refuses the write with 409 Conflict. A hook
// that writes the same object always ends that way.
type Hook struct {
	// Name identifies the hook in the error that refuses a dry run. It is a DNS subdomain, required and unique in an API.
	Name string
	// Operations are the operations that the hook sees. Default: all.
	Operations []Operation
	// Resources are the resources that the hook sees, as PLURAL.GROUP, such as "widgets.example.com". A subresource
	// follows a slash: "widgets.example.com/status". Either part may be "*", and "*.example.com" is a whole group. If a
	// kind has versions in several groups, its name in any one of them selects all versions. The hook also sees resources
	// that match when the API takes them later. Default: "*/*", all resources and subresources.
	Resources []string
	// SideEffects decides whether the hook runs in dry runs. Default: a hook without Mutate runs, and a hook with Mutate
	// refuses the dry run.
	SideEffects SideEffects
	// Idle, unless nil, reports that the hook has nothing to do at present, so that a write costs nothing more than
	// without the hook.
	Idle func(ctx context.Context) bool
	// Mutate may change the object. It runs once more if a later hook changes the object after it, and must then leave its
	// own changes in place.
	Mutate func(ctx context.Context, r *Request) error
	// Validate sees the object as it would be stored, and cannot change it.
	Validate func(ctx context.Context, r *Request) error
}
