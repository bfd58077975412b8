package rest

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// Limits bounds the bytes, requests and time that clients can use. docs/limits.md lists all limits.
type Limits struct {
	// MaxBodyBytes is the size limit of a request's body, in bytes. A larger body is refused with 413
	// RequestEntityTooLarge, and so is a write that would make an object larger than twice the limit. Default: 3 MiB.
	MaxBodyBytes int64
	// MaxInFlight is the number of requests that the API works on at once, not counting watches and streams. It answers
	// further requests with 429 TooManyRequests and Retry-After. A user who holds as many places as are free gets no
	// further one, so one user holds at most half of them. Users in ExemptGroups and health checks always get a place.
	// If the API has no Authenticator and the context names no user (see [access.WithUser]), only the total counts.
	// Default: 1000.
	//
	// A request holds no place while the Authenticator determines its user, while its body is read, and while its client
	// reads a large answer. Bodies and large answers have limits of the same size. Each 256 KiB of a body count as
	// one body. At most half of the places wait for webhooks, and a webhook holds no more of that half than are free. So
	// slow clients and webhooks leave places to others. They hold connections and goroutines until the host's http.Server
	// ends the request, so set ReadTimeout and WriteTimeout there. Watches and streams are exempt from these timeouts.
	//
	// Memory does not grow with slow clients. A watch buffers about 256 KiB for its client, which has a minute to read
	// each 64 KiB. A client may read the first state of a watch, a list or a large object equally slowly while the store
	// or its history still holds the records (see [storage.Options]). Once the store has dropped them, the API ends a
	// watch with 410 Expired, and aborts the response with a list or an object after another minute plus a second per MiB.
	// The API closes the connection earlier if the client reads nothing of a watch for 10 to 20 seconds, or of a list or
	// an object for 10 to 50. A large object in any form other than compact JSON, or a list in Protobuf, is a copy that
	// the history does not hold. The limits therefore apply to such a response, and to the response to a write, from the
	// start. All such copies take their memory from the Budget. A list is encoded element by element, as the client reads
	// it.
	//
	// An [access.Limiter] replaces this limit for requests, but not for bodies, large answers and webhooks.
	MaxInFlight int
	// ExemptGroups are groups whose members always get a place, such as administrators who must stop the clients that use
	// up all others. Default: the groups of the plug-ins (see [PluginParts]), such as the administrators of package
	// rest/rbac.
	ExemptGroups []string
	// RequestTimeout is the time limit of a write, including hooks and webhooks. When it has passed, the client gets 504
	// Timeout. A client can ask for less time with the parameter timeout, such as ?timeout=5s. The WriteTimeout of the
	// host's http.Server must be at least two seconds longer, or the client gets no answer. Default: 60 seconds.
	//
	// A hook should return when its context ends. If it does not, the client gets the answer a second later, nothing is
	// stored, and the log names the user, the resource, the hook and its duration. See [API.StuckHooks].
	RequestTimeout time.Duration
	// Budget bounds the memory whose size depends on clients: the caches, and answers that the API builds as a whole.
	// Several APIs may share a Budget, and each holds no more than it leaves to the others (see [storage.Budget.Part]).
	// Likewise, all answers to one user hold no more than they leave to other users. If the Budget has no room for an
	// answer, the caches of the API give up entries; if that does not suffice, the request gets 429 TooManyRequests and
	// Retry-After. If it has no room for a cache, the cache keeps less. For the largest answers, a Budget needs at least
	// 100 times MaxBodyBytes. Default: a Budget of 768 MiB for this API alone. Answers take at most 256 MiB.
	Budget *storage.Budget
	// CacheBytes is the memory of the API's caches, in bytes, which it takes from the Budget. Objects converted from the
	// stored version to another one take 4/9 (see [Converted]). Documents of the most recently written objects take 1/9;
	// the next write decodes neither such an object nor a body that equals it. Lists that clients request repeatedly while
	// no object of the kind changes take 2/9. Objects in Protobuf take 2/9; the next list encodes only the objects that
	// have changed. A negative number turns all caches off. Default: 144 MiB.
	CacheBytes int64
}

// growth is the limit of an object's size as a multiple of MaxBodyBytes. Patches and the server itself make objects
// larger than a body.
const growth = 2

const (
	defaultMaxBodyBytes = 3 << 20
	defaultMaxInFlight  = 1000

	defaultRequestTimeout = 60 * time.Second

	// defaultCacheBytes is 144 MiB, so that each cache gets whole megabytes.
	defaultCacheBytes = 144 << 20

	// defaultBudget leaves maxAnswers free when all caches, and the lists in Protobuf that are not cached, are full.
	defaultBudget = 768 << 20
	// maxAnswers limits the memory for answers that are built as a whole.
	maxAnswers = 256 << 20
)

// budget returns the budget of the API. When the API closes, it releases its part of a shared budget.
func (l Limits) budget() *storage.Budget {
	if l.Budget == nil {
		return storage.NewBudget(defaultBudget)
	}
	return l.Budget.Part(math.MaxInt64)
}

// cacheBytes is [Limits].CacheBytes, divided among the caches.
type cacheBytes struct{ converted, decoded, lists, messages int64 }

func (l Limits) caches() cacheBytes {
	ninth := l.CacheBytes / 9
	return cacheBytes{converted: 4 * ninth, decoded: ninth, lists: 2 * ninth, messages: 2 * ninth}
}

// withDefaults fills in the defaults, and copies the slices, which the host could change later.
func (l Limits) withDefaults() Limits {
	l.ExemptGroups = slices.Clone(l.ExemptGroups)
	l.MaxBodyBytes = cmp.Or(max(l.MaxBodyBytes, 0), defaultMaxBodyBytes)
	l.MaxInFlight = cmp.Or(max(l.MaxInFlight, 0), defaultMaxInFlight)
	l.RequestTimeout = cmp.Or(max(l.RequestTimeout, 0), defaultRequestTimeout)
	l.CacheBytes = cmp.Or(l.CacheBytes, defaultCacheBytes)
	return l
}
