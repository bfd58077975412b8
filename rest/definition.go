package rest

import (
	"context"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Definition is a resource as [New] takes it: a [Resource] of some Go type.
type Definition interface {
	declared() *declared
}

// Scope says whether the objects of a resource live in namespaces.
type Scope int

const (
	// ScopeNamespaced is for resources that have a namespace in their URL and their metadata. It is the default.
	ScopeNamespaced Scope = iota
	// ScopeCluster is for resources that have no namespace.
	ScopeCluster
)

// NameRule says which names the objects of a resource may have (API conventions, Names and IDs).
type NameRule int

const (
	// NameDNSSubdomain allows lower-case letters, digits, '-' and '.', 253 characters at most. It is the default.
	NameDNSSubdomain NameRule = iota
	// NameDNSLabel allows lower-case letters, digits and '-', 63 characters at most.
	NameDNSLabel
	// NameDNS1035Label is a NameDNSLabel that begins with a letter.
	NameDNS1035Label
	// NamePathSegment allows everything that can stand in a URL's path: not "." or "..", no '/', no '%'.
	NamePathSegment
)

func (n NameRule) check(name string) []string {
	switch n {
	case NameDNSLabel:
		return apimeta.ValidateDNS1123Label(name)
	case NameDNS1035Label:
		return apimeta.ValidateDNS1035Label(name)
	case NamePathSegment:
		return apimeta.ValidatePathSegmentName(name)
	default:
		return apimeta.ValidateDNS1123Subdomain(name)
	}
}

// Column is a column of the table that kubectl get prints. The name comes first, unless a column is called Name and
// takes its place.
type Column struct {
	// Name is the heading, in CamelCase or words: "Ready", "Last Run".
	Name string
	// Path is where the value stands, as JSONPath: ".spec.size", ".status.conditions[?(@.type=='Ready')].status". A column
	// of [ColumnFunc] has none. It may have all that kubectl's JSONPath has between two braces, and shows the first value
	// to which it leads. New refuses a path that it cannot read, or that leads to no field of the kind.
	Path string
	// Type is string, integer, number, boolean or date; a date is printed as the time since then. Default: string.
	Type string
	// Format refines the type, as in OpenAPI. Optional.
	Format string
	// Description is shown by clients that explain columns. Default: a text with the path.
	Description string
	// Priority 0 columns are always shown, others with kubectl get -o wide only.
	Priority int32

	compute func(obj any) (any, error)
	of      reflect.Type
}

// Resource declares a resource whose objects are T, a struct with the JSON shape of a Kubernetes object: kind,
// apiVersion and metadata, and usually spec and status. A Resource is a value, and everything that the API does with
// the resource follows from it. Group, Version and Plural must be set, and Group may be "" for the core group; most
// resources also set Columns and some of Hooks.
//
// T may be [apimeta.Document]. The Schema then describes the objects, and Names.Kind must be set.
//
// If T has a field status, the resource has the subresource /status: writes to the object ignore the status, and writes
// to /status change nothing else (API conventions, Spec and Status).
type Resource[T any] struct {
	// Group, Version and Plural are the URL of the resource: /apis/GROUP/VERSION/…/PLURAL.
	Group, Version, Plural string
	// Scope is ScopeNamespaced or ScopeCluster.
	Scope Scope
	// Columns are what kubectl get prints after the name. Default: Age; in a version that is not stored, the columns of
	// the stored version whose paths lead to values of the same type.
	Columns []Column
	// Hooks are the host's functions on objects of the kind.
	Hooks Hooks[T]

	// Names are the names of the kind besides Plural, and the rule for names of objects.
	Names Names
	// Description is a sentence about the kind for kubectl explain.
	Description string
	// Verbs are what clients may do over HTTP; the answer to any other verb is 405. Default: all. They do not bind the
	// typed client, which is the host's own: with []Verb{VerbGet, VerbList, VerbWatch} only the host writes.
	Verbs []access.Verb
	// Rules are validation rules in the Common Expression Language, made by module cel. New checks them, OpenAPI publishes
	// them, and they are evaluated on objects that their schema accepts.
	Rules Rules
	// SelectableFields are the fields that a field selector may name besides the fields of metadata, such as
	// "spec.color": strings, booleans and integers, at most 16. They are indexed: a list or watch by one value costs as
	// much as the objects with this value. "color=spec.paint,spec.material" declares the name color for the first of
	// these fields that has a value.
	SelectableFields []string
	// IndexedLabels are the keys of labels that are indexed in the same way, at most 8. Clients may select by any label;
	// an index pays if many clients select few of many objects by it.
	IndexedLabels []string
	// Scale declares the subresource /scale.
	Scale *Scale
	// Subresources are the host's own, besides status and scale.
	Subresources []SubresourceOf[T]
	// Singleton is the name of the only object of a cluster-scoped resource. New makes the object from the defaults of T.
	// Clients can read, update and watch it, but neither create nor delete it.
	Singleton string
	// RemoveWhenDue removes an object when its grace period has passed (see [Hooks]), so that no agent has to. Finalizers
	// hold the object beyond that.
	RemoveWhenDue bool
	// TimeToLive is how long an object lives after its last write: its creation, or an update that changed the object or
	// its status. lifecycle.Expire then deletes the object. The store keeps the time of the last write, so a restart does
	// not extend the life of an object. Default: objects do not expire.
	TimeToLive time.Duration

	// History makes the server keep former versions of the objects. Default: none.
	History *History

	// Schema describes the objects if T is [apimeta.Document], for a kind without a Go struct.
	Schema Schema

	// Versions are the other versions of the resource, each with a Go type of its own (see [Converted]). Version is the
	// version in which objects are stored. A host changes it last: first it serves all versions, then it stores another
	// one.
	Versions []VersionOf[T]
	// Stage says whether clients see this version, and whether they should still use it.
	Stage Stage

	// Overlay says what the tags of T do not say, for types that cannot be changed, such as the types of k8s.io/api. It
	// holds the text of an api tag for a type or a field: "Container.ports": "list=map,key=containerPort,key=protocol".
	// The name of a type may include its import path.
	Overlay map[string]string
	// Wire is the dialect of the resource, and what else kinds of Kubernetes need to look the same here.
	Wire Wire

	// strategy is set by NamespacesOf.
	strategy *resource.Strategy
}

// Names are the names of a kind besides its plural, and the rule for names of its objects.
type Names struct {
	// Kind is the name of the kind. Default: the name of T. Other versions of a resource have the kind of the stored
	// version, regardless of the names of their Go types.
	Kind string
	// Singular is what a person may type for one object. Default: the kind in lower case.
	Singular string
	// ListKind is the kind of a list. Default: the kind and "List".
	ListKind string
	// Short are what a person may type instead of the plural, such as "po" for pods.
	Short []string
	// Categories are groups of resources that a person may ask for at once, such as "all".
	Categories []string
	// Rule says which names objects may have.
	Rule NameRule
}

// Hooks are functions of the host that work on objects of one kind. They run outside every lock, and may call the API
// with the context that they receive. They may run several times for one write, because the server starts again if
// another write commits first. If a hook returns an error of package status, the server sends this error. If it returns
// any other error or panics, the server sends a 500. A hook should return when its context ends, see
// [Limits].RequestTimeout.
//
// The objects belong to the hook. Their strings share the memory of the whole object, so a hook that keeps a string
// after it returns should clone the string.
type Hooks[T any] struct {
	// Default fills in fields that the client has left out, after the defaults of the struct's tags. It may add elements to
	// a set and to a keyed list. If it changes a value that the client has sent, the server sends a 500 (API conventions,
	// What May Be Defaulted).
	Default func(ctx context.Context, obj *T) error
	// Canonicalize runs after Default. It rewrites values that clients can write in several ways into the one form that
	// is stored, such as the stringData of a Secret into its data. Admission hooks see the rewritten object, and the
	// client owns its fields.
	Canonicalize func(ctx context.Context, obj *T) error
	// Prepare runs after defaults and admission, and before validation. It drops or rewrites fields that clients may not
	// decide, and sets the first status of a new object. old is nil on create. Prepare can change only the fields that the
	// client can change: no metadata that the server sets, and in a write of the status only the status. A built-in kind
	// may set the status in any update.
	Prepare func(ctx context.Context, obj, old *T) error
	// Validate checks an object by rules that the tags cannot express. The [status.FieldErrors] list all faults of the
	// object; the client gets them in one 422 Invalid. An error means that Validate could not decide, for example because
	// a database does not answer. old is nil on create. An update that changes nothing is checked too.
	Validate func(ctx context.Context, obj, old *T) (status.FieldErrors, error)
	// ValidateDelete refuses the deletion of an object by returning an error, usually [status.Forbidden].
	ValidateDelete func(ctx context.Context, obj *T) error

	// GracePeriod makes deletion graceful. It returns the grace period of an object in seconds. asked is the period in the
	// client's request, or nil. The server sets a deletionTimestamp that many seconds ahead, and removes the object if the
	// period is 0. Later requests can only shorten it (API conventions, Metadata). When it has passed, an agent of the
	// host deletes the object with a grace period of 0; see RemoveWhenDue for a kind without an agent.
	GracePeriod func(ctx context.Context, obj *T, asked *int64) (seconds int64, err error)

	// Call makes the kind virtual, like SubjectAccessReview: the spec is a question, and the status is the answer. Clients
	// can only create such an object. Call sets its status, and the server returns the object without storing it.
	Call func(ctx context.Context, obj *T) error
	// CallDryRun answers dry runs instead of Call, and must have no effects. It may be nil if Call has no effects either.
	CallDryRun func(ctx context.Context, obj *T) error
}

// Stage is where a version is in its life. The zero value is a version that clients should use.
type Stage struct {
	// NotServed hides a version from clients. The typed client can still use it.
	NotServed bool
	// Deprecated adds a Warning header to every answer of the version. The text is Warning, by default that "GROUP/VERSION
	// KIND is deprecated".
	Deprecated bool
	Warning    string
}

// Wire is the dialect of a resource, and further exceptions that a Kubernetes API server makes for some of its kinds. A
// host's own kinds do not need it.
type Wire struct {
	// Dialect is DialectCustom, or DialectBuiltin for structs of k8s.io/api.
	Dialect Dialect
	// CreateOnUpdate lets a PUT create an object that does not exist, as with Lease and Event.
	CreateOnUpdate bool
	// Generation keeps metadata.generation even if the dialect does not, as with the workloads of Kubernetes.
	Generation bool
	// VersionRequired refuses a PUT without a resourceVersion even if the dialect lets it overwrite.
	VersionRequired bool
	// ReturnDeleted makes the server return the object for a DELETE that removes it, instead of a Status, as with Pod and
	// Service.
	ReturnDeleted bool
	// MarkedFor is how long an object whose grace period is 0 keeps its deletionTimestamp before it is removed, as with
	// Pod: some controllers act on the deletion only if they still find the object in their cache. Default: no time.
	MarkedFor time.Duration
	// PlainMetadata leaves out the rules for metadata that most built-in kinds have besides the rules of all kinds:
	// finalizers need no domain, and generateName is checked on creation alone. Lease is such a kind.
	PlainMetadata bool
	// Untracked omits managedFields: no manager owns a field, and clients cannot use server-side apply. Without Untracked,
	// managedFields often take a third of the bytes of an object, and up to half the time of a write.
	Untracked bool
	// Sharded lets clients list and watch shards of this kind, even if [Options].Sharded is not set.
	Sharded bool
	// StatusOnCreate lets clients set the status of a new object, as with Node.
	StatusOnCreate bool
	// AnswerStatus makes the server answer the creation of a virtual object with a Status instead of the object, as with
	// Binding. An in-process client receives the object.
	AnswerStatus bool
	// Parts are subresources with the kind of the object itself, such as pods/resize, through which clients get, update
	// and patch it. StatusParts are those that change only the status, such as certificatesigningrequests/approval. Hooks
	// ask [access.AccessFrom] which it is. As in Kubernetes, a client of DialectBuiltin that writes through one of Parts owns
	// the status that it sends, although the server keeps the old status.
	Parts, StatusParts []string
}
