package rest

import (
	"cmp"
	"log/slog"
	"maps"
	"math"
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
// uses the system's clock.
type Options struct {
	// Store keeps the objects. Default: that of [storage.NewMemory], which the API closes. The host closes a store that it
	// sets here, after the API.
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
	// HostUser is the user that hooks see in calls of in-process clients whose context names no user (see [access.WithUser]).
	// Default: system:host, in the group system:authenticated.
	HostUser access.User
	// Now is the clock, for timestamps and grace periods. Default: time.Now.
	Now func() time.Time
	// NewUID returns the metadata.uid of a new object. Default: a random UUID.
	NewUID func() string
	// MaxBodyBytes is the size limit of a request's body, in bytes. A larger body is refused with 413
	// RequestEntityTooLarge, and so is a write that would make an object larger than twice the limit. Default: 3 MiB.
	MaxBodyBytes int64
	// MaxInFlight is how many requests the API works on at once, not counting watches and streams. It answers more with
	// 429 TooManyRequests and Retry-After. A user gets no further place while it holds as many as are free, so one user
	// holds half of them at most. Users in ExemptGroups and health checks always get one. If the API has no Authenticator
	// and nobody has named the users (see [access.WithUser]), only the total counts. Default: 1000.
	//
	// A request has no place while the Authenticator finds out its user, while its body is read, and while its client
	// reads a large answer. Bodies and large answers have limits of the same size. Of the bodies, each 256 KiB count as
	// one. At most half of the places wait for webhooks, and a webhook holds no more of that half than are free. So slow
	// clients and webhooks leave places to others. They hold connections and goroutines until the host's http.Server ends
	// the request, so set ReadTimeout and WriteTimeout there; watches and streams lift these timeouts for themselves.
	//
	// Slow clients do not make memory grow. A watch buffers about 256 KiB for its client, which has a minute to read each
	// 64 KiB. A client may read the first state of a watch, a list or a large object equally slowly while the store or its
	// history still holds the records (see [storage.Options]). Once the store has dropped them, the API ends a watch with
	// 410 Expired, and aborts the response with a list or an object after another minute plus a second per MiB. The API
	// closes the connection earlier if the client reads nothing of a watch for 10 to 20 seconds, or of a list or an object
	// for 10 to 50. A large object in any form other than compact JSON, or a list in Protobuf, is a copy that the history
	// does not hold. The limits therefore apply to such a response, and to the response to a write, from the start. All
	// such copies take their memory from the Budget. A list is encoded element by element, as the client reads it.
	//
	// A [Limiter] takes the place of this limit, but bodies, large answers and webhooks are still limited by it.
	MaxInFlight int
	// ExemptGroups are groups whose members always get a place, such as administrators, who may have to end what takes all
	// others. Default: those of the plug-ins (see [Parts]), such as the administrators of package rest/rbac.
	ExemptGroups []string
	// RequestTimeout is the time limit of a write, hooks and webhooks included. Beyond it, the client gets 504 Timeout. A
	// client can ask for less with the parameter timeout, such as ?timeout=5s. The WriteTimeout of the host's http.Server
	// must be at least two seconds longer, or its client gets no answer. Default: 60 seconds.
	//
	// A hook should return when its context ends. The client of a hook that ignores it gets its answer a second later,
	// nothing is stored, and the log names the user, the resource, the hook and how long it runs. See [API.StuckHooks].
	RequestTimeout time.Duration
	// DrainTime is how long the API still serves after a shutdown has begun (see [API.Drain]). Meanwhile /readyz fails, so
	// load balancers and proxies send requests to other replicas before this one refuses them. Choose more time than they
	// need to notice, such as 10 seconds for a probe every 3 seconds that must fail twice. Default: none.
	DrainTime time.Duration
	// Authenticator finds out the user of each request. A request without valid credentials is answered with 401
	// Unauthorized. Default: the host's middleware sets the user (see [access.WithUser]), and a request without a user is one of
	// system:anonymous.
	Authenticator access.Authenticator
	// Authorizer decides about each request before its body is read. A refused request is answered with 403 Forbidden. The
	// Authorizer also decides about impersonation (kubectl --as), about updates that create an object, and about calls of
	// [Client.AsUser]. Default: everything is allowed, except impersonation.
	Authorizer access.Authorizer
	// OpenHealth serves /healthz, /livez, /readyz and /version to everybody, without asking the Authenticator and the
	// Authorizer. It does not open the paths of single checks, such as /readyz/store, because they give the reason of a
	// failure.
	OpenHealth bool
	// HealthChecks are the host's own checks at /readyz, /livez and /healthz, such as whether its database answers. Those
	// of the plug-ins follow them.
	HealthChecks []HealthCheck
	// AllowedOrigins are the origins of web pages that may use the API with what the browser sends on its own, such as
	// cookies and client certificates, and may read its answers (CORS). An origin is a scheme and a host, such as
	// https://console.example.com. Default: only pages of the API's own origin may. Requests of other pages that change
	// something get 403, unless they have a bearer token.
	AllowedOrigins []string
	// AllowedHosts are the names under which clients reach the API, such as "localhost" or "api.example.com", without a
	// port. A request with another name in its Host header gets 421 Misdirected Request, also on the paths of health. A
	// request that names an IP address is always allowed. Set it where an API without users listens on the loopback
	// address or inside a private network: otherwise a web page can reach that API through a name of its own that it
	// points there (DNS rebinding). Default: every name is allowed.
	AllowedHosts []string
	// NoSelfReviews leaves out SelfSubjectReview, SelfSubjectAccessReview and SelfSubjectRulesReview, through which
	// clients such as kubectl auth whoami, kubectl auth can-i and k9s ask who they are and what they may do. The
	// Authorizer answers, and decides who may ask. A resource of the same group and plural that the host declares replaces
	// one of these. Default: every API serves them.
	NoSelfReviews bool
	// Admission are the hooks on the writes of all resources, in the order in which they run. Those of the plug-ins run
	// after them.
	Admission []admission.Hook
	// Plugins add kinds, hooks, users, rights and background work to the API, such as roles or admission webhooks. The
	// order is that in which they are asked and started, see [Parts]. [API.Start] starts what they do in the background.
	Plugins []Plugin
	// CEL is the evaluator of expressions that clients write: in CustomResourceDefinitions, admission policies and match
	// conditions of webhooks. All plug-ins use it. Set it to cel.New(nil) of module cel: rules that it contains have no
	// effect here, because rules belong to a kind ([Resource.Rules]). Default: plug-ins refuse expressions.
	CEL Rules
	// Budget bounds the memory whose size clients choose: answers that the API builds as a whole, and its caches. Several
	// APIs may share one, and each holds no more than it leaves to the others (see [storage.Budget.Part]). Likewise, all
	// answers to one user hold no more than they leave to other users. If the Budget has no room for an answer, the caches
	// of the API give up entries; if that does not suffice, the request gets 429 TooManyRequests and Retry-After. If it
	// has none for a cache, the cache keeps less. For the largest answers, a Budget needs at least 100 times MaxBodyBytes.
	// Default: the API has a Budget of 768 MiB, of which answers take 256 MiB at most.
	Budget *storage.Budget
	// MaxConvertedBytes is the size of the cache of converted objects, in bytes. The cache spares the API from converting
	// an object for each client that reads it in another version than the stored one (see [Converted]). Like the other
	// caches, it takes its memory from the Budget, and a negative number turns it off. Default: 64 MiB.
	MaxConvertedBytes int64
	// MaxDecodedBytes is the size of the cache of documents, in bytes. The cache keeps the objects that were written most
	// recently, so that the next write need decode neither such an object nor a body that equals it. A document takes 3 to
	// 4 times as many bytes as the JSON of the object. Default: 16 MiB.
	MaxDecodedBytes int64
	// MaxListBytes is the size of the cache of lists, in bytes. If clients ask for the same list again while no object of
	// the kind changes, such as many controllers that start together, the API joins the list only twice. The cache never
	// holds more than this, and no page of a list. Default: 32 MiB.
	MaxListBytes int64
	// MaxProtobufBytes is the size of the cache of Protobuf messages, in bytes. The cache keeps the objects that lists in
	// Protobuf have shown, so that the next list encodes only those that have changed. A list of more than half the size
	// is not cached. Default: 32 MiB.
	MaxProtobufBytes int64
	// Queries lets clients query, sort and count objects with parameters that upstream does not have. Default: the API
	// ignores these parameters.
	Queries *Queries
	// UnsafeDeletion allows the delete option ignoreStoreReadErrorWithClusterBreakingPotential. The option removes an
	// object that cannot be decoded any more, without regard to its finalizers and preconditions, so the host should let
	// few users send it. Default: the API ignores the option.
	UnsafeDeletion bool
	// CBOR makes the API read and write application/cbor, and application/cbor-seq for watches, besides JSON, YAML and
	// Protobuf. Set it to cbor.Format() of package rest/cbor. Default: the API refuses CBOR with 406 NotAcceptable and 415
	// UnsupportedMediaType.
	CBOR Transcoder
	// Version is the answer of /version about the host's program. Default: a version of this library.
	Version Version
	// Types remembers the schemas of Go types. APIs of one process that serve the same kinds, such as those of tests,
	// start faster if they share it, and do not influence each other. Default: the API has its own.
	Types *Types
}

// Types remembers the schemas of Go types. The zero value is ready, and must not be copied. See [Options].
type Types struct{ known schema.Types }

// Transcoder translates documents between JSON and another format. Many goroutines call it at once.
type Transcoder interface {
	// AppendFromJSON translates a valid JSON text and appends the result to dst.
	AppendFromJSON(dst, json []byte) ([]byte, error)
	// ToJSON translates data into JSON. The client sees the text of the error.
	ToJSON(data []byte) ([]byte, error)
}

// growth is how many times MaxBodyBytes an object may reach through patches and through what the server adds.
const growth = 2

const (
	defaultHostUser = "system:host"

	defaultMaxBodyBytes = 3 << 20
	defaultMaxInFlight  = 1000

	defaultRequestTimeout = 60 * time.Second

	defaultMaxConvertedBytes = 64 << 20
	defaultMaxDecodedBytes   = 16 << 20
	defaultMaxListBytes      = 32 << 20
	defaultMaxProtobufBytes  = 32 << 20

	// defaultBudget leaves maxAnswers free when all caches, and the lists in Protobuf that are not cached, are full.
	defaultBudget = 768 << 20
	// maxAnswers limits the memory for answers that are built as a whole.
	maxAnswers = 256 << 20
)

// budget returns the budget of the API. When the API ends, it releases its part of a shared one.
func (o Options) budget() *storage.Budget {
	if o.Budget == nil {
		return storage.NewBudget(defaultBudget)
	}
	return o.Budget.Part(math.MaxInt64)
}

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
		o.Types = new(Types)
	}
	o.ExemptGroups = slices.Clone(o.ExemptGroups)
	o.MaxBodyBytes = cmp.Or(max(o.MaxBodyBytes, 0), defaultMaxBodyBytes)
	o.MaxInFlight = cmp.Or(max(o.MaxInFlight, 0), defaultMaxInFlight)
	o.DrainTime = max(o.DrainTime, 0)
	o.RequestTimeout = cmp.Or(max(o.RequestTimeout, 0), defaultRequestTimeout)
	o.MaxConvertedBytes = cmp.Or(o.MaxConvertedBytes, defaultMaxConvertedBytes)
	o.MaxDecodedBytes = cmp.Or(o.MaxDecodedBytes, defaultMaxDecodedBytes)
	o.MaxListBytes = cmp.Or(o.MaxListBytes, defaultMaxListBytes)
	o.MaxProtobufBytes = cmp.Or(o.MaxProtobufBytes, defaultMaxProtobufBytes)
	o.Admission, o.AllowedOrigins, o.AllowedHosts = slices.Clone(o.Admission), slices.Clone(o.AllowedOrigins),
		slices.Clone(o.AllowedHosts)
	o.Stores = maps.Clone(o.Stores)
	o.Plugins, o.HealthChecks = slices.Clone(o.Plugins), slices.Clone(o.HealthChecks)
	o.Version = o.Version.withDefaults()
	return o
}
