package foreign_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
)

// Account is a kind whose source changes what it is given.
type Account struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               AccountSpec   `json:"spec"`
	Status             AccountStatus `json:"status,omitzero"`
}

type AccountSpec struct {
	Owner string `json:"owner"`
	Seats int64  `json:"seats"`
}

type AccountStatus struct {
	Balance int64  `json:"balance,omitempty"`
	Seats   int64  `json:"seats,omitempty"`
	Note    string `json:"note,omitempty"`
}

// AccountV1beta1 is an Account in version v1beta1.
type AccountV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               AccountSpec   `json:"spec"`
	Status             AccountStatus `json:"status,omitzero"`
}

var accountsResource = apimeta.GroupResource{Group: "bank.example.com", Resource: "accounts"}

func accountKind() rest.Resource[Account] {
	scale := &rest.Scale{SpecReplicas: ".spec.seats", StatusReplicas: ".status.seats"}
	return rest.Resource[Account]{Group: "bank.example.com", Version: "v1", Plural: "accounts", Scale: scale,
		Versions: []rest.VersionOf[Account]{
			rest.Converted[Account](rest.Resource[AccountV1beta1]{Version: "v1beta1", Scale: scale}, nil, nil)}}
}

// bank keeps accounts. Each write adds 100 to the balance, and the owner is kept in capital letters.
type bank struct {
	*testing.T
	mu   sync.Mutex
	rows map[string]Account
}

// row is what clients see of an account, apart from what the server adds.
type row struct {
	Spec       AccountSpec
	Status     AccountStatus
	Labels     map[string]string
	Finalizers []string
	Deleting   bool
}

func rowOfAccount(a Account) row {
	return row{a.Spec, a.Status, a.Labels, a.Finalizers, a.DeletionTimestamp != nil}
}

func (b *bank) state() map[string]row {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]row{}
	for name, a := range b.rows {
		out[name] = rowOfAccount(a)
	}
	return out
}

func (b *bank) book(obj *Account) {
	obj.Spec.Owner = strings.ToUpper(obj.Spec.Owner)
	obj.Status.Balance += 100
	b.rows[obj.Name] = *obj
}

func (b *bank) source(get bool, changed <-chan foreign.Name) foreign.Source[Account] {
	source := foreign.Source[Account]{
		Resource: accountsResource, Changed: changed,
		List: func(context.Context) ([]Account, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return slices.Collect(maps.Values(b.rows)), nil
		},
		Create: func(_ context.Context, obj *Account) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.book(obj)
			return nil
		},
		Update: func(_ context.Context, old, obj *Account) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			assert.Equal(b, rowOfAccount(b.rows[obj.Name]), rowOfAccount(*old), "the write replaces another state")
			b.book(obj)
			return nil
		},
		Delete: func(_ context.Context, obj *Account) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			delete(b.rows, obj.Name)
			return nil
		},
	}
	if get {
		source.Get = func(_ context.Context, _, name string) (Account, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			a, ok := b.rows[name]
			if !ok {
				return a, status.NotFound(accountsResource, name)
			}
			return a, nil
		}
	}
	return source
}

// branch is an API over a bank of its own.
type branch struct {
	*server
	bank    *bank
	changed chan foreign.Name
}

func newBranch(t *testing.T, get bool, options rest.Options) *branch {
	t.Helper()
	b := &branch{bank: &bank{T: t, rows: map[string]Account{}}, changed: make(chan foreign.Name)}
	store, err := foreign.Open(foreign.Options{Engine: storage.Options{Logger: quiet()}}, b.bank.source(get, b.changed))
	require.NoError(t, err)
	options.Stores = map[apimeta.GroupResource]storage.Store{accountsResource: store}
	options.Logger = quiet()
	api, err := rest.New(options, builtin.Namespaces(), accountKind())
	require.NoError(t, err)
	b.server = &server{t, api, store}
	return b
}

// turn is one request, or a change in the source if it has no verb.
type turn struct {
	verb, version, name, part, query, media, body string
	// stale says that the client has read the object before its last change.
	stale bool
	// outcome changes the row as the request asks, before the bank books it. It returns the code of the answer.
	outcome func(r row, exists bool) (row, int)
}

var accountVersions = []string{"v1", "v1beta1"}

func collection(version string) string {
	return "/apis/bank.example.com/" + version + "/namespaces/default/accounts"
}

const (
	mergePatch = "application/merge-patch+json"
	jsonPatch  = "application/json-patch+json"
)

// newTurn returns a random request to one of three accounts.
func newTurn(random *rand.Rand) turn {
	owners := []string{"ann", "bob", "BOB", "e<ve>"}
	name, owner, seats := fmt.Sprint("a", random.IntN(3)), owners[random.IntN(len(owners))], random.Int64N(4)
	n := turn{version: accountVersions[random.IntN(2)], name: name, media: mergePatch}
	if random.IntN(6) == 0 {
		n.query = "?dryRun=All"
	}
	patch := func(body string, change func(*row)) {
		n.verb, n.body = "PATCH", body
		n.outcome = func(r row, exists bool) (row, int) {
			if !exists {
				return r, http.StatusNotFound
			}
			change(&r)
			return r, http.StatusOK
		}
	}
	switch random.IntN(10) {
	case 0:
		spec := AccountSpec{owner, seats}
		var held []string
		finalizers := ""
		if random.IntN(2) == 0 {
			held, finalizers = []string{"bank.example.com/audit"}, `,"finalizers":["bank.example.com/audit"]`
		}
		n.verb, n.media = "POST", "application/json"
		n.body = fmt.Sprintf(`{"apiVersion":"bank.example.com/%s","kind":"Account","metadata":{"name":%q%s},"spec":{"owner":%q,"seats":%d}}`,
			n.version, name, finalizers, owner, seats)
		n.outcome = func(r row, exists bool) (row, int) {
			if exists {
				return r, http.StatusConflict
			}
			return row{Spec: spec, Finalizers: held}, http.StatusCreated
		}
	case 1, 2:
		n.verb, n.media, n.stale = "PUT", "application/json", random.IntN(4) == 0
		n.body = fmt.Sprintf(`{"apiVersion":"bank.example.com/%s","kind":"Account","metadata":{"name":%q,"resourceVersion":"RV",FINALIZERS"labels":{"k":%q}},"spec":{"owner":%q,"seats":%d},"status":{"balance":7}}`,
			n.version, name, owner[:1], owner, seats)
		n.outcome = func(r row, exists bool) (row, int) {
			switch {
			case !exists:
				return r, http.StatusNotFound
			case n.stale:
				return r, http.StatusConflict
			}
			r.Spec, r.Labels = AccountSpec{owner, seats}, map[string]string{"k": owner[:1]}
			return r, http.StatusOK
		}
	case 3:
		patch(fmt.Sprintf(`{"spec":{"owner":%q}}`, owner), func(r *row) { r.Spec.Owner = owner })
	case 4:
		patch(fmt.Sprintf(`[{"op":"replace","path":"/spec/seats","value":%d}]`, seats), func(r *row) { r.Spec.Seats = seats })
		n.media = jsonPatch
	case 5:
		patch(fmt.Sprintf(`{"status":{"note":%q}}`, owner), func(r *row) { r.Status.Note = owner })
		n.part = "/status"
	case 6:
		patch(fmt.Sprintf(`{"spec":{"replicas":%d}}`, seats), func(r *row) { r.Spec.Seats = seats })
		n.part = "/scale"
	case 7:
		patch(`{"metadata":{"finalizers":null}}`, func(r *row) { r.Finalizers = nil })
	case 8:
		n.verb, n.media = "DELETE", "application/json"
		n.outcome = func(r row, exists bool) (row, int) {
			if !exists {
				return r, http.StatusNotFound
			}
			r.Deleting = true
			return r, http.StatusOK
		}
	default:
		n.query = ""
		n.outcome = func(r row, exists bool) (row, int) {
			r.Spec.Owner, r.Status.Balance = "ZOE", r.Status.Balance+5
			return r, 0
		}
	}
	return n
}

// next returns the rows after a turn, and the code of its answer.
func (n turn) next(rows map[string]row) (map[string]row, int) {
	before, exists := rows[n.name]
	after, code := n.outcome(before, exists)
	changes := code < 300 && !assert.ObjectsAreEqual(before, after) && n.query == ""
	if !changes || code == 0 && !exists {
		return rows, code
	}
	rows = maps.Clone(rows)
	if after.Deleting && len(after.Finalizers) == 0 {
		delete(rows, n.name)
		return rows, code
	}
	if code > 0 {
		after.Spec.Owner, after.Status.Balance = strings.ToUpper(after.Spec.Owner), after.Status.Balance+100
	}
	rows[n.name] = after
	return rows, code
}

// play takes a turn, and checks that everybody sees the rows that the turn leaves.
func (b *branch) play(n turn, want map[string]row, code int, label string) {
	b.Helper()
	if n.verb == "" {
		b.bank.mu.Lock()
		if a, ok := b.bank.rows[n.name]; ok {
			a.Spec.Owner, a.Status.Balance = "ZOE", a.Status.Balance+5
			b.bank.rows[n.name] = a
		}
		b.bank.mu.Unlock()
		b.changed <- foreign.Name{Namespace: "default", Name: n.name}
		synctest.Wait()
	} else {
		path := collection(n.version)
		if n.verb != "POST" {
			path += "/" + n.name
		}
		var known Account
		if found := b.do("GET", path, ""); found.Code == http.StatusOK && n.verb == "PUT" {
			found.decode(b.T, &known)
		}
		version, finalizers := known.ResourceVersion, ""
		if n.stale {
			version = "1"
		}
		if len(known.Finalizers) > 0 {
			finalizers = fmt.Sprintf(`"finalizers":[%q],`, known.Finalizers[0])
		}
		body := strings.NewReplacer(`"RV"`, `"`+version+`"`, "FINALIZERS", finalizers).Replace(n.body)
		got := b.do(n.verb, path+n.part+n.query, body, "Content-Type", n.media)
		require.Equal(b, code, got.Code, "%s: %s", label, got.Body)
		if row, stays := want[n.name]; stays && code < 300 && n.query == "" && n.part != "/scale" {
			var answer Account
			got.decode(b.T, &answer)
			require.Equal(b, row, rowOfAccount(answer), "%s: answer %s", label, got.Body)
		}
	}
	require.Equal(b, want, b.bank.state(), label)
	for _, version := range accountVersions {
		var all struct{ Items []Account }
		b.do("GET", collection(version), "").decode(b.T, &all)
		shown := map[string]row{}
		for _, item := range all.Items {
			shown[item.Name] = rowOfAccount(item)
			var one Account
			b.do("GET", collection(version)+"/"+item.Name, "").decode(b.T, &one)
			require.Equal(b, item, one, "%s: %s", label, version)
		}
		require.Equal(b, want, shown, "%s: %s", label, version)
	}
}

// A source may change the objects that it is given. The next write then begins with what the source has kept, and
// everybody sees that, in every version, with and without caches.
func TestSourceThatChangesObjects(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			var branches []*branch
			for _, get := range []bool{false, true} {
				for _, budget := range []int64{0, -1} {
					b := newBranch(t, get, rest.Options{Limits: rest.Limits{CacheBytes: budget}})
					defer b.close()
					branches = append(branches, b)
				}
			}
			random, rows := rand.New(rand.NewPCG(seed, 7)), map[string]row{}
			for step := range 80 {
				n, code := newTurn(random), 0
				rows, code = n.next(rows)
				for i, b := range branches {
					b.play(n, rows, code, fmt.Sprintf("seed %d step %d API %d: %s %s %s%s %s", seed, step, i, n.verb, n.version,
						n.name, n.part+n.query, n.body))
				}
			}
		})
	}
}
