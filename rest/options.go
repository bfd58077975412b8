package rest

import (
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/storage"
)

// Options configure an API. The zero value works: it keeps objects in memory, logs errors to slog's default logger and
// uses the system's clock. The fields are in groups: storage and logs, access, features of the API, limits, health and
// browsers, and fields that only few hosts and tests set.
type Options struct {
	// Store keeps the objects. Default: a store of [memory.New], which the API closes. The host closes a store
	// that it sets here, after the API.
	Store storage.Store
	// Stores are stores of their own for single resources, such as a store in memory for Events while Store is a file. The
	// key is the group and plural of the stored version. The API may take the resource later. Several resources may share
	// a store. The host closes these stores, after the API. Namespaces and the definitions of kinds cannot have a store of
	// their own.
	//
	// Revisions of different stores cannot be compared, and a transaction does not span two stores. So when an object is
	// created in a store of its own, the API checks the namespace before and after the commit, and takes the object back
	// if the namespace has begun to end. Each store has its own [storage.Options].Ledger. Default: Store keeps every
	// resource.
	Stores map[apimeta.GroupResource]storage.Store
	// Logger receives what clients must not see: panics of hooks and the causes of 500s. A 503 that a hook returns as an
	// error of package status, without a cause, is a warning. Default: errors only, to the logger that is slog's default
	// when New is called.
	Logger *slog.Logger

	// Authenticator finds out the user of each request. A request without valid credentials is answered with 401
	// Unauthorized. Default: the host's middleware sets the user (see [access.WithUser]), and a request without a user is one of
	// system:anonymous.
	Authenticator access.Authenticator
	// Authorizer decides about each request before its body is read. A refused request is answered with 403 Forbidden. The
	// Authorizer also decides about impersonation (kubectl --as), about updates that create an object, and about calls of
	// [Client.AsUser]. Default: everything is allowed, except impersonation.
	Authorizer access.Authorizer
	// HostUser is the user that hooks see if the context of an in-process call names no user (see [access.WithUser]).
	// Default: system:host, in the group system:authenticated.
	HostUser access.User
	// NoSelfReviews leaves out SelfSubjectReview, SelfSubjectAccessReview and SelfSubjectRulesReview, through which
	// clients such as kubectl auth whoami, kubectl auth can-i and k9s ask who they are and what they may do. The
	// Authorizer answers, and decides who may ask. A resource of the same group and plural that the host declares replaces
	// one of these. Default: every API serves them.
	NoSelfReviews bool

	// Plugins add kinds, hooks, users, rights and background work to the API, such as roles or admission webhooks. The
	// API uses and starts them in this order, see [PluginParts]. [API.Start] starts their background work.
	Plugins []Plugin
	// Admission are the hooks on the writes of all resources, in the order in which they run. The hooks of plug-ins run
	// after them.
	Admission []admission.Hook
	// CEL is the evaluator of expressions that clients write: in CustomResourceDefinitions, admission policies and match
	// conditions of webhooks. All plug-ins use it. Set it to cel.Evaluator() of module cel. Default: plug-ins refuse
	// expressions.
	CEL Evaluator
	// Queries lets clients query, sort and count objects with parameters that upstream does not have. Default: the API
	// ignores these parameters.
	Queries *Queries
	// Sharded lets clients list, watch and delete a shard of the objects of each kind, with the parameter shardSelector:
	//
	//	shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')
	//
	// selects the objects whose uid has a 64-bit FNV-1a hash in this range. The end does not belong to the range, and is
	// '0x10000000000000000' at most. Instead of the uid, object.metadata.namespace may be hashed, and several ranges are
	// joined by ||. Replicas of a controller can thus divide the objects among themselves, so that each receives only its
	// own. The metadata of a shard's list contains shardInfo. [Wire].Sharded does this for one kind. Default: the API
	// ignores the parameter, as Kubernetes does without its feature gate ShardedListAndWatch, and returns all objects.
	Sharded bool
	// KeepManagedFields makes the API ignore the parameter drop=metadata.managedFields of the header Accept, as
	// Kubernetes 1.37 does. Default: the API leaves managedFields out of the answers to clients that send the parameter.
	KeepManagedFields bool
	// CBOR makes the API read and write application/cbor, and application/cbor-seq for watches, besides JSON, YAML and
	// Protobuf. Set it to cbor.Format() of package rest/cbor. Default: the API refuses CBOR with 406 NotAcceptable and 415
	// UnsupportedMediaType.
	CBOR Transcoder

	// Limits bounds the bytes, requests and time that clients can use.
	Limits Limits
	// Health configures health checks and draining, for load balancers and the operator's tools.
	Health Health
	// Browsers determines which web pages may use the API.
	Browsers Browsers

	// Version is the answer of /version about the host's program. Default: a version of this library.
	Version ProgramVersion
	// UnsafeDeletion allows the delete option ignoreStoreReadErrorWithClusterBreakingPotential. The option removes an
	// object that can no longer be decoded, regardless of its finalizers and preconditions, so the host should let few
	// users send it. Default: the API ignores the option.
	UnsafeDeletion bool

	// Now is the clock, for timestamps and grace periods. Default: time.Now.
	Now func() time.Time
	// NewUID returns the metadata.uid of a new object. Default: a random UUID.
	NewUID func() string
	// Types remembers the schemas of Go types. APIs of one process that serve the same kinds, such as the APIs of
	// tests, start faster if they share it, and do not influence each other. Default: the API has its own.
	Types *TypeCache
}

// TypeCache remembers the schemas of Go types. The zero value is ready, and must not be copied. See [Options].
type TypeCache struct{ known schema.Types }

// Transcoder translates documents between JSON and another format. Many goroutines call it at once.
type Transcoder interface {
	// AppendFromJSON translates a valid JSON text and appends the result to dst.
	AppendFromJSON(dst, json []byte) ([]byte, error)
	// ToJSON translates data into JSON. The client sees the text of the error.
	ToJSON(data []byte) ([]byte, error)
}

const defaultHostUser = "system:host"

// withDefaults fills in the defaults, and copies what the host could change later.
func (o Options) withDefaults() Options {
	o.Logger = errorlog.Or(o.Logger)
	if o.HostUser.Name == "" {
		o.HostUser = access.User{Name: defaultHostUser, Groups: []string{identity.AuthenticatedGroup}}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewUID == nil {
		o.NewUID = objectmeta.RandomUID
	}
	if o.Types == nil {
		o.Types = new(TypeCache)
	}
	o.Limits = o.Limits.withDefaults()
	o.Health.DrainTime, o.Health.Checks = max(o.Health.DrainTime, 0), slices.Clone(o.Health.Checks)
	o.Browsers.AllowedOrigins, o.Browsers.AllowedHosts = slices.Clone(o.Browsers.AllowedOrigins),
		slices.Clone(o.Browsers.AllowedHosts)
	o.Stores = maps.Clone(o.Stores)
	o.Admission, o.Plugins = slices.Clone(o.Admission), slices.Clone(o.Plugins)
	o.Version = o.Version.withDefaults()
	return o
}
