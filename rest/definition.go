package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Definition is a resource as [New] takes it: a [Resource] of some Go type.
type Definition interface {
	resource(env *resource.Environment) (*served, error)
}

// Scope says whether the objects of a resource live in namespaces.
type Scope int

const (
	// Namespaced resources have a namespace in their URL and their metadata. It is the default.
	Namespaced Scope = iota
	// Cluster resources have no namespace.
	Cluster
)

// Verb is what a client may ask of a resource, as discovery lists it.
type Verb string

// The verbs of the API conventions (API conventions, Verbs on Resources).
const (
	Get              Verb = kind.Get
	List             Verb = kind.List
	Watch            Verb = kind.Watch
	Create           Verb = kind.Create
	Update           Verb = kind.Update
	Patch            Verb = kind.Patch
	Delete           Verb = kind.Delete
	DeleteCollection Verb = kind.DeleteCollection
)

// NameRule says which names the objects of a resource may have (API conventions, Names and IDs).
type NameRule int

const (
	// DNSSubdomain allows lower-case letters, digits, '-' and '.', 253 characters at most. It is the default.
	DNSSubdomain NameRule = iota
	// DNSLabel allows lower-case letters, digits and '-', 63 characters at most.
	DNSLabel
	// DNS1035Label is a DNSLabel that begins with a letter.
	DNS1035Label
	// PathSegment allows everything that can stand in a URL's path: not "." or "..", no '/', no '%'.
	PathSegment
)

func (n NameRule) check(name string) []string {
	switch n {
	case DNSLabel:
		return apimeta.ValidateDNS1123Label(name)
	case DNS1035Label:
		return apimeta.ValidateDNS1035Label(name)
	case PathSegment:
		return apimeta.ValidatePathSegmentName(name)
	default:
		return apimeta.ValidateDNS1123Subdomain(name)
	}
}

// Column is a column of the table that kubectl get prints. The name comes first, unless a column is called Name and takes
// its place.
type Column struct {
	// Name is the heading, in CamelCase or words: "Ready", "Last Run".
	Name string
	// Path is where the value stands, as JSONPath: ".spec.size", ".status.conditions[?(@.type=='Ready')].status". A column
	// of [ColumnFunc] has none. New refuses a path that leads to no field of the kind.
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
// apiVersion and metadata, and mostly spec and status. It is a value, and all that the resource can do is read from
// it. Only Group, Version and Plural must be set, and Group may be "" for the core group.
//
// A T with a field status has the subresource /status: writes to the object ignore the status, and writes to /status
// change nothing else (API conventions, Spec and Status).
type Resource[T any] struct {
	Group, Version, Plural string

	// Kind is the kind's name. Default: the name of T.
	Kind string
	// Singular is what a person may type for one object. Default: the kind in lower case.
	Singular string
	// ListKind is the kind of a list. Default: the kind and "List".
	ListKind string
	// ShortNames are what a person may type instead of Plural, like "po" for pods.
	ShortNames []string
	// Categories are groups of resources that a person may ask for at once, like "all".
	Categories []string
	// Description is a sentence about the kind for kubectl explain.
	Description string

	// Scope is Namespaced or Cluster.
	Scope Scope
	// Dialect is Custom, or Builtin for structs of k8s.io/api.
	Dialect Dialect
	// Names is the rule for names.
	Names NameRule
	// Verbs are what clients may ask over HTTP; any other verb is answered 405. Default: all. The in-process client
	// is the host's own and is not bound by them, so that []Verb{Get, List, Watch} is a resource that only the host
	// writes.
	Verbs []Verb
	// CreateOnUpdate lets a PUT of a name that does not exist create the object, as Lease and Event have it.
	CreateOnUpdate bool
	// Generation keeps metadata.generation also where the dialect does not, as the workloads of Kubernetes have it.
	Generation bool
	// VersionRequired refuses a PUT without a resourceVersion also where the dialect lets it overwrite.
	VersionRequired bool
	// ReturnDeleted answers DELETE with the object also where it is gone, as Pod, Service and ServiceAccount have it.
	// Default: a Status.
	ReturnDeleted bool
	// PlainMetadata leaves out the rules for metadata that most built-in kinds have besides those of all kinds: finalizers
	// need no domain, and generateName is checked on creation alone. Lease has it so.
	PlainMetadata bool
	// Untracked keeps no managedFields: nobody owns a field, and nothing can be applied on the server. It saves the third of
	// an object's bytes that managedFields often take, and up to half the time of a write.
	Untracked bool
	// Singleton is the name of the only object of a cluster-scoped resource. The object is made from the defaults of
	// T when the API starts, and can be read, updated and watched, but neither created nor deleted.
	Singleton string

	// Versions are the other versions of the resource, each with a Go type of its own (see [Converted]). Version is the
	// one in which objects are stored, and which a host changes last: first all its versions are served, then another
	// one is stored.
	Versions []VersionOf[T]
	// NotServed keeps a version from clients, who find no trace of it; the in-process client has it still.
	NotServed bool
	// Deprecated adds a Warning header to every answer of the version: DeprecationWarning, by default that
	// "GROUP/VERSION KIND is deprecated".
	Deprecated         bool
	DeprecationWarning string

	// Overlay says what the tags of T do not say, for types that cannot be changed, like those of k8s.io/api: the text
	// of an api tag for a type or a field, "Container.ports": "list=map,key=containerPort,key=protocol". A type may be
	// written with its import path.
	Overlay map[string]string

	// Columns are what kubectl get prints after the name. Default: Age; in another version than the stored one, the columns
	// of that one whose paths lead to values of the same type here.
	Columns []Column
	// SelectableFields are the fields that a field selector may name beside metadata.name and metadata.namespace,
	// like "spec.color": strings, booleans and integers, 16 at most. They are indexed: a list or watch by one value of such
	// a field costs what the objects with this value cost, however many others there are.
	SelectableFields []string
	// IndexedLabels are the keys of labels that are indexed in the same way, 8 at most. All labels can be selected by;
	// those by which many clients select few of many objects are worth an index.
	IndexedLabels []string
	// Scale declares the subresource /scale.
	Scale *Scale
	// Subresources are the host's own, beside status and scale.
	Subresources []SubresourceOf[T]

	// Default fills in what the client left out, after the defaults of the struct's tags. To change a value that the
	// client has sent is an error (API conventions, What May Be Defaulted), answered as 500.
	Default func(ctx context.Context, obj *T) error
	// Prepare readies an object to be stored, after defaults and admission and before validation: it drops or rewrites what
	// is not for clients to decide, and gives a new object its first status. old is nil on create. It reaches what the
	// client reaches: not what the server keeps in the metadata, and in a write of the status nothing but the status.
	Prepare func(ctx context.Context, obj, old *T) error
	// Rules are validation rules in the Common Expression Language, of module cel. They are checked by New, published in
	// OpenAPI, and evaluated on objects that have passed their schema.
	Rules Rules
	// Validate reports what is wrong with an object, beside what the tags say. old is nil on create.
	Validate func(ctx context.Context, obj, old *T) status.FieldErrors
	// ValidateDelete refuses the deletion of an object by returning an error, mostly [status.Forbidden].
	ValidateDelete func(ctx context.Context, obj *T) error

	// GracePeriod makes the deletion of an object graceful: it returns how many seconds the object has to end. asked is what
	// the client asks for, nil where it leaves it to the kind. With 0 the object is removed at once, as it is in every resource
	// without this hook; else it stays with a deletionTimestamp that many seconds ahead, and the time can only shrink (API
	// conventions, Metadata). When it has ended, an agent of the host's deletes it with a grace period of 0.
	GracePeriod func(ctx context.Context, obj *T, asked *int64) (seconds int64, err error)
	// RemoveWhenDue removes an object when its grace period has passed, so that no agent has to; finalizers hold it beyond.
	RemoveWhenDue bool

	// Call makes the kind a virtual one, a call with spec as the question and status as the answer: it can only be
	// created, Call fills in the status, the object is answered and never stored (like SubjectAccessReview).
	Call func(ctx context.Context, obj *T) error

	// areNamespaces: set by NamespacesOf.
	areNamespaces bool
	// message describes the kind's Protobuf message where the Go type does not bring one.
	message *codec.Message
}
