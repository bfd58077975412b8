package foreign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
)

// Order is a kind whose objects are rows of another service.
type Order struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               OrderSpec `json:"spec"`
}

type OrderSpec struct {
	Customer string `json:"customer"`
	Cents    int64  `json:"cents" api:"min=0"`
	Currency string `json:"currency,omitempty" api:"default=EUR"`
}

var ordersResource = apimeta.GroupResource{Group: "shop.example.com", Resource: "orders"}

const orders = "/apis/shop.example.com/v1/namespaces/default/orders"

func orderKind() rest.Resource[Order] {
	return rest.Resource[Order]{Group: "shop.example.com", Version: "v1", Plural: "orders",
		SelectableFields: []string{"spec.customer"},
		Columns: []rest.Column{{Name: "Customer", Path: ".spec.customer"},
			{Name: "Cents", Path: ".spec.cents", Type: "integer"}}}
}

// shop is a service with rows.
type shop struct {
	mu       sync.Mutex
	rows     map[string]Order // the keys are names
	version  int
	lists    int
	failure  error
	conflict int // how many of the next writes fail with a conflict
}

func newShop(names ...string) *shop {
	s := &shop{rows: map[string]Order{}}
	for i, name := range names {
		s.put(name, "ann", int64(i+1))
	}
	return s
}

func order(name, customer string, cents int64) Order {
	return Order{ObjectMeta: apimeta.ObjectMeta{Name: name, Namespace: "default",
		Labels: map[string]string{"customer": customer}}, Spec: OrderSpec{Customer: customer, Cents: cents}}
}

func (s *shop) put(name, customer string, cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[name] = order(name, customer, cents)
	s.version++
}

func (s *shop) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, name)
	s.version++
}

// row returns a row, and whether there is one.
func (s *shop) row(name string) (Order, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, ok := s.rows[name]
	return row, ok
}

// count returns how often the rows were changed and listed.
func (s *shop) count() (version, lists int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version, s.lists
}

// refuse makes the next writes fail with a conflict.
func (s *shop) refuse(writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conflict = writes
}

func (s *shop) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

func (s *shop) list(context.Context) ([]Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	var all []Order
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		all = append(all, s.rows[name])
	}
	return all, s.failure
}

func (s *shop) get(_ context.Context, _, name string) (Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, ok := s.rows[name]
	if !ok {
		return row, status.NotFound(ordersResource, name)
	}
	return row, s.failure
}

func (s *shop) versionNow(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.version), s.failure
}

// write keeps what the rows have columns for.
func (s *shop) write(obj *Order) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failure != nil:
		return s.failure
	case s.conflict > 0:
		s.conflict--
		return status.Conflict(ordersResource, obj.Name, "the row has changed")
	case obj.Spec.Customer == "mallory":
		return status.Forbidden(ordersResource, obj.Name, "mallory may not buy")
	case obj.Spec.Customer == "panic":
		panic("no such customer")
	}
	*obj = order(obj.Name, obj.Spec.Customer, obj.Spec.Cents)
	s.rows[obj.Name] = *obj
	s.version++
	return nil
}

func (s *shop) readOnly() foreign.Source[Order] {
	return foreign.Source[Order]{Resource: ordersResource, List: s.list, Every: time.Second, Timeout: time.Second,
		MaxAge: time.Minute}
}

func (s *shop) writable() foreign.Source[Order] {
	source := s.readOnly()
	source.Create = func(_ context.Context, obj *Order) error { return s.write(obj) }
	source.Update = func(_ context.Context, _, obj *Order) error { return s.write(obj) }
	source.Delete = func(_ context.Context, obj *Order) error { s.remove(obj.Name); return s.failure }
	return source
}

func rowOf(s *shop, name string) Order {
	row, _ := s.row(name)
	return row
}

// server is an API whose orders are in a shop.
type server struct {
	*testing.T
	api   *rest.API
	store *foreign.Store
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, source foreign.Source[Order], options rest.Options, more ...rest.Definition) *server {
	t.Helper()
	store, err := foreign.Open(foreign.Options{Engine: storage.Options{Logger: quiet()}}, source)
	require.NoError(t, err)
	options.Stores = map[apimeta.GroupResource]storage.Store{ordersResource: store}
	options.Logger = quiet()
	api, err := rest.New(options, append(more, builtin.Namespaces(), orderKind())...)
	require.NoError(t, err)
	s := &server{t, api, store}
	return s
}

func (s *server) close() {
	assert.NoError(s, s.api.Close())
	assert.NoError(s, s.store.Close())
}

type answer struct {
	Code int
	Body string
}

func (a answer) decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Body), into), a.Body)
}

func (s *server) do(method, path, body string, header ...string) answer {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, "http://host"+path, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := rest.RoundTripper(s.api).RoundTrip(r)
	require.NoError(s, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(s, err)
	return answer{got.StatusCode, string(text)}
}

func (s *server) patch(name, body string) answer {
	s.Helper()
	return s.do("PATCH", orders+"/"+name, body, "Content-Type", "application/merge-patch+json")
}

type list struct {
	Metadata apimeta.ListMeta
	Items    []Order
}

func (s *server) names(query string) (names []string) {
	s.Helper()
	var l list
	a := s.do("GET", orders+query, "")
	require.Equal(s, 200, a.Code, a.Body)
	a.decode(s.T, &l)
	for _, item := range l.Items {
		names = append(names, item.Name)
	}
	return names
}

// look waits until the store has looked at the source.
func look() {
	<-time.After(3 * time.Second)
	synctest.Wait()
}

// A kind whose objects live elsewhere is read like any other. Without functions that write, it offers no writes.
func TestReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a", "b", "c")
		shop.put("d", "bob", 7)
		s := open(t, shop.readOnly(), rest.Options{})
		defer s.close()

		assert.Equal(t, []string{"a", "b", "c", "d"}, s.names(""))
		assert.Equal(t, []string{"d"}, s.names("?labelSelector=customer%3Dbob"))
		assert.Equal(t, []string{"d"}, s.names("?fieldSelector=spec.customer%3Dbob"))
		var page list
		s.do("GET", orders+"?limit=3", "").decode(t, &page)
		shop.remove("d")
		look()
		assert.Equal(t, []string{"a", "b", "c"}, s.names(""))
		assert.Equal(t, []string{"d"}, s.names("?limit=3&continue="+page.Metadata.Continue),
			"the next page shows the state of the first one")

		var a Order
		s.do("GET", orders+"/a", "").decode(t, &a)
		assert.Equal(t, apimeta.TypeMeta{Kind: "Order", APIVersion: "shop.example.com/v1"}, a.TypeMeta)
		assert.Equal(t, OrderSpec{Customer: "ann", Cents: 1, Currency: "EUR"}, a.Spec, "with the defaults of the kind")
		assert.Regexp(t, "^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", a.UID)
		table := s.do("GET", orders, "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").Body
		assert.Contains(t, table, `"cells":["a","ann",1]`)

		var resources apimeta.APIResourceList
		s.do("GET", "/apis/shop.example.com/v1", "").decode(t, &resources)
		assert.ElementsMatch(t, []string{"get", "list", "watch"}, resources.Resources[0].Verbs)
		assert.Empty(t, resources.Resources[0].StorageVersionHash)
		assert.Contains(t, s.do("GET", "/openapi/v3/apis/shop.example.com/v1", "").Body,
			"The objects live outside of this API")
		body := `{"metadata":{"name":"x"},"spec":{"customer":"ann","cents":1}}`
		for _, method := range []string{"POST", "DELETE"} {
			assert.Equal(t, 405, s.do(method, orders, body).Code, method)
		}
		for _, method := range []string{"PUT", "DELETE"} {
			assert.Equal(t, 405, s.do(method, orders+"/a", body).Code, method)
		}
		assert.Equal(t, 405, s.patch("a", `{}`).Code)
		client, err := rest.ClientForType[Order](s.api)
		require.NoError(t, err)
		_, err = client.Namespace("default").Create(t.Context(), &Order{ObjectMeta: apimeta.ObjectMeta{Name: "x"}})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
	})
}

func TestWrites(t *testing.T) {
	for name, withGet := range map[string]bool{"with Get": true, "without Get": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop := newShop("a")
				source := shop.writable()
				if withGet {
					source.Get = shop.get
				}
				s := open(t, source, rest.Options{})
				defer s.close()
				created := s.do("POST", orders,
					`{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"b","finalizers":["example.com/x"]},"spec":{"customer":"bob","cents":5}}`)
				require.Equal(t, 201, created.Code, created.Body)
				var b, again Order
				created.decode(t, &b)
				s.do("GET", orders+"/b", "").decode(t, &again)
				assert.Equal(t, again, b, "the answer is the object as the source has kept it")
				assert.Equal(t, map[string]string{"customer": "bob"}, b.Labels)
				assert.Empty(t, b.Finalizers, "the rows have no column for them")
				look()
				s.do("GET", orders+"/b", "").decode(t, &again)
				assert.Equal(t, b, again, "the next look finds what the write has left")

				patched := s.patch("b", `{"spec":{"cents":6}}`)
				require.Equal(t, 200, patched.Code, patched.Body)
				assert.EqualValues(t, 6, rowOf(shop, "b").Spec.Cents)
				assert.Equal(t, 422, s.patch("b", `{"spec":{"cents":-1}}`).Code, "the steps of a write come before the function")
				assert.Equal(t, 409, s.do("PUT", orders+"/b", created.Body).Code, "an old resourceVersion")
				assert.Equal(t, 409, s.do("POST", orders,
					`{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"b"},"spec":{"customer":"bob","cents":5}}`).Code)
				assert.Equal(t, 404, s.do("POST", "/apis/shop.example.com/v1/namespaces/none/orders",
					`{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"b"},"spec":{"customer":"bob","cents":5}}`).Code)
				version, _ := shop.count()
				assert.Equal(t, 200, s.do("PATCH", orders+"/b?dryRun=All", `{"spec":{"cents":9}}`, "Content-Type",
					"application/merge-patch+json").Code)
				assert.Equal(t, 200, s.patch("b", `{"spec":{"cents":6}}`).Code)
				now, _ := shop.count()
				assert.Equal(t, version, now, "neither a dry run nor a write that changes nothing reaches the source")
				assert.Equal(t, 415, s.do("PATCH", orders+"/b?fieldManager=x", `{}`, "Content-Type",
					"application/apply-patch+yaml").Code)

				refused := s.patch("b", `{"spec":{"customer":"mallory"}}`)
				assert.Equal(t, 403, refused.Code)
				assert.Contains(t, refused.Body, "mallory may not buy")
				assert.Equal(t, 500, s.patch("b", `{"spec":{"customer":"panic"}}`).Code)
				assert.Equal(t, "bob", rowOf(shop, "b").Spec.Customer)

				assert.Equal(t, 200, s.do("DELETE", orders+"/b", "").Code)
				assert.Equal(t, 404, s.do("GET", orders+"/b", "").Code)
				_, exists := shop.row("b")
				assert.False(t, exists)
			})
		})
	}
}

// After a conflict at the source, a patch starts again with the object that the source has now.
func TestConflictAtTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		s := open(t, shop.writable(), rest.Options{})
		defer s.close()
		var before Order
		old := s.do("GET", orders+"/a", "")
		old.decode(t, &before)
		shop.put("a", "carl", 1)
		shop.refuse(1)
		patched := s.patch("a", `{"spec":{"cents":8}}`)
		require.Equal(t, 200, patched.Code, patched.Body)
		assert.Equal(t, OrderSpec{Customer: "carl", Cents: 8}, rowOf(shop, "a").Spec)

		shop.put("a", "dora", 1)
		shop.refuse(1)
		put := s.do("PUT", orders+"/a", strings.Replace(patched.Body, `"cents":8`, `"cents":10`, 1))
		assert.Equal(t, 409, put.Code, put.Body)
		shop.refuse(1)
		put = s.patch("a", `{"spec":{"cents":9}}`)
		assert.Equal(t, 409, put.Code, put.Body)
		assert.Contains(t, put.Body, "the row has changed", "the source has not changed, so the server cannot help")
	})
}

// While a source fails, clients read what was seen, until it is too old.
func TestFailingSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		shop.fail(errors.New("connection refused"))
		s := open(t, shop.writable(), rest.Options{})
		defer s.close()
		for _, query := range []string{"", "?resourceVersion=0", "?watch=1"} {
			failed := s.do("GET", orders+query, "")
			assert.Equal(t, 503, failed.Code, "%q: an empty list would be a lie", query)
			assert.Contains(t, failed.Body, "the source of orders.shop.example.com has not been read yet")
			assert.NotContains(t, failed.Body, "connection refused")
		}
		assert.Equal(t, 503, s.patch("a", `{"spec":{"cents":9}}`).Code)
		ready := s.do("GET", "/readyz", "")
		assert.Equal(t, 500, ready.Code)
		assert.Contains(t, ready.Body,
			"[-]store-orders.shop.example.com failed: the source of orders.shop.example.com has not been read yet: "+
				"List: connection refused")
		assert.Equal(t, 200, s.do("GET", "/api/v1/namespaces", "").Code)

		shop.fail(nil)
		look()
		assert.Equal(t, []string{"a"}, s.names(""))
		assert.Equal(t, 200, s.do("GET", "/readyz", "").Code)

		shop.fail(errors.New("connection refused"))
		<-time.After(50 * time.Second)
		assert.Equal(t, []string{"a"}, s.names(""))
		assert.Equal(t, 500, s.patch("a", `{"spec":{"cents":9}}`).Code, "the source refuses the write")
		<-time.After(15 * time.Second)
		assert.Equal(t, 503, s.do("GET", orders+"/a", "").Code)
		assert.Contains(t, s.do("GET", "/readyz", "").Body, "has not answered for")
		shop.fail(nil)
		look()
		assert.Equal(t, []string{"a"}, s.names(""))
	})
}

// A state that the store cannot read changes nothing, and the error names the object.
func TestBadStates(t *testing.T) {
	for want, rows := range map[string][]Order{
		`object "a" in namespace "default": the source has returned it twice`: {order("a", "x", 1),
			order("a", "y", 2)},
		`object "" in namespace "default": it has no name`:                            {order("", "x", 1)},
		`object "b/c" in namespace "default": bad name`:                               {order("b/c", "x", 1)},
		`object "b" in namespace "": it has no namespace, but the kind is namespaced`: {{ObjectMeta: apimeta.ObjectMeta{Name: "b"}}},
		`object "b" in namespace "Not/Allowed": bad namespace`:                        {{ObjectMeta: apimeta.ObjectMeta{Name: "b", Namespace: "Not/Allowed"}}},
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now atomic.Pointer[[]Order]
				now.Store(&[]Order{order("good", "x", 1)})
				source := foreign.Source[Order]{Resource: ordersResource, Every: time.Second, Timeout: time.Second,
					MaxAge: 10 * time.Second, List: func(context.Context) ([]Order, error) { return *now.Load(), nil }}
				s := open(t, source, rest.Options{})
				defer s.close()
				bad := append(slices.Clone(rows), order("new", "x", 1))
				now.Store(&bad)
				look()
				assert.Equal(t, []string{"good"}, s.names(""))
				<-time.After(time.Minute)
				assert.Contains(t, s.do("GET", "/readyz", "").Body, want)
				now.Store(&[]Order{order("new", "x", 1)})
				look()
				assert.Equal(t, []string{"new"}, s.names(""))
			})
		})
	}
}

// A panic or a slow function is a failure of the source, and no more.
func TestFunctionsThatMisbehave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		source := shop.readOnly()
		var misbehave atomic.Pointer[func(context.Context)]
		source.List = func(ctx context.Context) ([]Order, error) {
			if f := misbehave.Load(); f != nil {
				(*f)(ctx)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return shop.list(ctx)
		}
		s := open(t, source, rest.Options{})
		defer s.close()
		for name, f := range map[string]func(context.Context){
			"panic": func(context.Context) { panic("a bug") },
			"slow":  func(ctx context.Context) { <-ctx.Done() },
		} {
			misbehave.Store(&f)
			<-time.After(2 * time.Minute)
			synctest.Wait()
			assert.Equal(t, 503, s.do("GET", orders, "").Code, name)
			misbehave.Store(nil)
			look()
			assert.Equal(t, []string{"a"}, s.names(""), name)
		}
	})
}

// With a version, the store lists only what may have changed.
func TestVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		source := shop.writable()
		source.Version = shop.versionNow
		s := open(t, source, rest.Options{})
		defer s.close()
		<-time.After(time.Hour)
		synctest.Wait()
		_, lists := shop.count()
		assert.Equal(t, 1, lists)
		assert.Equal(t, []string{"a"}, s.names(""), "the state is not too old")
		shop.put("b", "bob", 1)
		look()
		assert.Equal(t, []string{"a", "b"}, s.names(""))
		_, lists = shop.count()
		assert.Equal(t, 2, lists)
	})
}

// A source that reports changes is looked at at once.
func TestChanged(t *testing.T) {
	for name, withGet := range map[string]bool{"one object": true, "all objects": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop, changed := newShop("a"), make(chan foreign.Name)
				source := shop.readOnly()
				source.Every, source.MaxAge, source.Changed = time.Hour, 24*time.Hour, changed
				if withGet {
					source.Get = shop.get
				}
				s := open(t, source, rest.Options{})
				defer s.close()
				_, lists := shop.count()
				shop.put("b", "bob", 1)
				changed <- foreign.Name{Namespace: "default", Name: "b"}
				synctest.Wait()
				assert.Equal(t, []string{"a", "b"}, s.names(""))
				shop.remove("a")
				changed <- foreign.Name{Namespace: "default", Name: "a"}
				synctest.Wait()
				assert.Equal(t, []string{"b"}, s.names(""))
				_, now := shop.count()
				assert.Equal(t, withGet, lists == now)
				shop.put("c", "bob", 1)
				changed <- foreign.Name{}
				synctest.Wait()
				assert.Equal(t, []string{"b", "c"}, s.names(""))
				close(changed)
				shop.put("d", "bob", 1)
				<-time.After(time.Hour)
				synctest.Wait()
				assert.Equal(t, []string{"b", "c", "d"}, s.names(""))
			})
		})
	}
}

// A look that began before a write, and ends after it, does not take the write back.
func TestWriteDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		source := shop.writable()
		slow := make(chan struct{})
		var held atomic.Bool
		source.List = func(ctx context.Context) ([]Order, error) {
			all, err := shop.list(ctx)
			if held.Load() {
				<-slow
			}
			return all, err
		}
		s := open(t, source, rest.Options{})
		defer s.close()
		held.Store(true)
		<-time.After(time.Second + time.Millisecond)
		synctest.Wait() // the look has read the rows
		require.Equal(t, 200, s.patch("a", `{"spec":{"cents":77}}`).Code)
		require.Equal(t, 201, s.do("POST", orders,
			`{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"b"},"spec":{"customer":"bob","cents":5}}`).Code)
		watch := s.do("GET", orders+"?limit=1", "")
		var before list
		watch.decode(t, &before)
		held.Store(false)
		close(slow)
		synctest.Wait()
		var after list
		s.do("GET", orders, "").decode(t, &after)
		assert.Equal(t, before.Metadata.ResourceVersion, after.Metadata.ResourceVersion)
		assert.Len(t, after.Items, 2)
		look()
		assert.Equal(t, []string{"a", "b"}, s.names(""))
	})
}

// A revision of another process, such as another replica or this one before a restart, is Expired.
func TestRevisionsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		one := open(t, shop.readOnly(), rest.Options{})
		defer one.close()
		<-time.After(500 * time.Millisecond)
		two := open(t, shop.readOnly(), rest.Options{})
		defer two.close()
		shop.put("b", "bob", 1)
		look()
		var l list
		one.do("GET", orders, "").decode(t, &l)
		for _, query := range []string{"?resourceVersion=", "?resourceVersionMatch=Exact&resourceVersion="} {
			assert.Equal(t, 410, two.do("GET", orders+query+l.Metadata.ResourceVersion, "").Code, query)
		}
		assert.Contains(t, two.do("GET", orders+"?watch=1&resourceVersion="+l.Metadata.ResourceVersion, "").Body,
			`"reason":"Expired","code":410`)
		assert.Equal(t, []string{"a", "b"}, one.names("?resourceVersion="+l.Metadata.ResourceVersion))
	})
}

// A user whose rights are restricted to some of the objects sees and changes only these.
func TestRights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := newShop("a")
		shop.put("b", "bob", 1)
		bob, err := apimeta.ParseLabelSelector("customer=bob")
		require.NoError(t, err)
		only := access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision, error) {
			return access.AllowOnly("", access.Filter{Labels: bob}), nil
		})
		s := open(t, shop.writable(), rest.Options{Authorizer: only})
		defer s.close()
		assert.Equal(t, []string{"b"}, s.names(""))
		assert.Equal(t, 404, s.do("GET", orders+"/a", "").Code)
		assert.Equal(t, 404, s.patch("a", `{"spec":{"cents":9}}`).Code)
		assert.Equal(t, 200, s.patch("b", `{"spec":{"cents":9}}`).Code)
		assert.Equal(t, 404, s.do("DELETE", orders+"/a", "").Code)
		assert.Equal(t, "a", rowOf(shop, "a").Name)
	})
}

// The objects of a source that the API cannot delete do not hold their namespace; those that it can delete, it deletes.
func TestNamespaceEnds(t *testing.T) {
	for name, writable := range map[string]bool{"read-only": false, "writable": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop := newShop()
				row := order("a", "ann", 1)
				row.Namespace = "team"
				shop.rows["a"] = row
				source := shop.readOnly()
				if writable {
					source = shop.writable()
				}
				s := open(t, source, rest.Options{Plugins: []rest.Plugin{lifecycle.New(lifecycle.Options{})}})
				defer s.close()
				require.NoError(t, s.api.Start(t.Context()))
				require.Equal(t, 201, s.do("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`).Code)
				require.Equal(t, 200, s.do("DELETE", "/api/v1/namespaces/team", "").Code)
				look()
				assert.Equal(t, 404, s.do("GET", "/api/v1/namespaces/team", "").Code)
				assert.Equal(t, !writable, rowOf(shop, "a").Name == "a")
			})
		})
	}
}

// Declarations that cannot be served are errors.
func TestBadDeclarations(t *testing.T) {
	good := newShop().readOnly()
	for want, source := range map[string]foreign.Source[Order]{
		"foreign.Open: Resource: must be set":                      {List: good.List},
		"foreign.Open: orders.shop.example.com: List: must be set": {Resource: ordersResource},
		"foreign.Open: orders.shop.example.com: MaxAge 1s: must be longer than Every and Timeout together": {
			Resource: ordersResource, List: good.List, MaxAge: time.Second},
	} {
		_, err := foreign.Open(foreign.Options{}, source)
		assert.EqualError(t, err, want)
	}
	_, err := foreign.Open(foreign.Options{}, good, good)
	assert.EqualError(t, err, "foreign.Open: orders.shop.example.com: declared twice")

	store, err := foreign.Open(foreign.Options{Engine: storage.Options{Logger: quiet()}}, good)
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	of := map[apimeta.GroupResource]storage.Store{ordersResource: store}
	for name, kind := range map[string]rest.Resource[Order]{
		"TimeToLive, Singleton, GracePeriod and History must not be set": {TimeToLive: time.Hour},
		"because the objects live elsewhere":                             {History: &rest.History{Versions: 3}},
		"cannot be asked of":                                             {Verbs: []access.Verb{access.VerbGet, access.VerbCreate}},
		"no source of":                                                   {Plural: "others"},
	} {
		kind.Group, kind.Version = "shop.example.com", "v1"
		stores := of
		if kind.Plural == "" {
			kind.Plural = "orders"
		} else {
			stores = map[apimeta.GroupResource]storage.Store{{Group: "shop.example.com", Resource: "others"}: store}
		}
		_, err := rest.New(rest.Options{Stores: stores}, kind)
		assert.ErrorContains(t, err, name)
	}
}

// A client sees the objects of the source through a list and a later watch, regardless of what changes them.
func TestModel(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { model(t, seed) })
		})
	}
}
