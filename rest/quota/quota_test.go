package quota_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Each limit refuses the write that exceeds it in the words of Kubernetes.
func TestLimits(t *testing.T) {
	x := note("x", "")
	const exceeded = `notes.example.com "x" is forbidden: exceeded quota: q, `
	for _, c := range []struct {
		name    string
		account quota.Account
		limit   quota.Limit
		message string // of alice's creation of note x in namespace a, where she has created two notes; empty if it succeeds
	}{
		{"a namespace", quota.Account{Namespace: "a"}, quota.Limit{Resource: notesName, Objects: 2},
			exceeded + "requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=2"},
		{"a namespace with room", quota.Account{Namespace: "a"}, quota.Limit{Resource: notesName, Objects: 3}, ""},
		{"a namespace above its limit", quota.Account{Namespace: "a"}, quota.Limit{Resource: notesName, Objects: 1},
			exceeded + "requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=1"},
		{"a namespace that may have nothing", quota.Account{Namespace: "a"}, quota.Limit{Resource: notesName, Objects: -1},
			exceeded + "requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=0"},
		{"a namespace, all resources", quota.Account{Namespace: "a"}, quota.Limit{Objects: 2},
			exceeded + "requested: count/*=1, used: count/*=2, limited: count/*=2"},
		{"another namespace", quota.Account{Namespace: "b"}, quota.Limit{Objects: 1}, ""},
		{"another resource", quota.Account{Namespace: "a"}, quota.Limit{Resource: "shelves.example.com", Objects: -1}, ""},
		{"a user", quota.Account{User: "alice"}, quota.Limit{Resource: notesName, Objects: 2},
			exceeded + "requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=2"},
		{"a user, all resources", quota.Account{User: "alice"}, quota.Limit{Objects: 3},
			exceeded + "requested: count/*=1, used: count/*=3, limited: count/*=3"},
		{"another user", quota.Account{User: "bob"}, quota.Limit{Objects: 1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := map[quota.Account][]quota.Limit{}
			api := serve(t, inMemory(t, limits), nil)
			require.NoError(t, create(t.Context(), api, "alice", "a", "1"))
			require.NoError(t, create(t.Context(), api, "alice", "a", "2"))
			_, err := resttest.Client[Shelf](t, api).AsUser(access.User{Name: "alice"}).Create(t.Context(),
				&Shelf{ObjectMeta: apimeta.ObjectMeta{Name: "s"}})
			require.NoError(t, err)

			c.limit.Name = "q"
			limits[c.account] = []quota.Limit{c.limit}
			for _, path := range []string{"namespaces/a/notes?dryRun=All", "namespaces/a/notes"} {
				code, message := send(t, api, "alice", "POST", path, x)
				if c.message == "" {
					assert.Equal(t, 201, code, message)
				} else {
					assert.Equal(t, 403, code)
					assert.Equal(t, c.message, message)
				}
			}
		})
	}
}

// A limit on bytes and objects reports what exceeds it.
func TestBytes(t *testing.T) {
	limits := map[quota.Account][]quota.Limit{}
	store := inMemory(t, limits)
	api := serve(t, store, nil)
	post := func(name string) (code int, message string) {
		return send(t, api, "alice", "POST", "namespaces/a/notes", note(name, ""))
	}
	code, message := post("1")
	require.Equal(t, 201, code, message)
	size := sizeOf(t, store, "a", "1")

	limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Resource: notesName, Objects: 1, Bytes: 2*size - 1}}
	_, message = post("2")
	assert.Equal(t, fmt.Sprintf(`notes.example.com "2" is forbidden: exceeded quota: q, requested: bytes/notes.example.com=%d,count/notes.example.com=1, `+
		`used: bytes/notes.example.com=%d,count/notes.example.com=1, limited: bytes/notes.example.com=%d,count/notes.example.com=1`, size, size, 2*size-1), message)

	limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Bytes: 2 * size}}
	code, message = post("2")
	assert.Equal(t, 201, code, "exactly the limit: %s", message)
	code, _ = post("3")
	assert.Equal(t, 403, code)
}

// Numbers are written as Kubernetes writes them.
func TestThousands(t *testing.T) {
	for limit, want := range map[int]string{1: "1", 999: "999", 1000: "1k", 1500: "1500", 2_000_000: "2M"} {
		api := serve(t, inMemory(t, map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "q", Resource: notesName,
			Bytes: int64(limit)}}}), nil)
		_, message := send(t, api, "alice", "POST", "namespaces/a/notes", note("x", strings.Repeat("x", limit)))
		assert.True(t, strings.HasSuffix(message, "limited: bytes/notes.example.com="+want), message)
	}
}

// An update needs room for what it adds. One that adds nothing passes, even above the limit.
func TestUpdates(t *testing.T) {
	limits := map[quota.Account][]quota.Limit{}
	store := inMemory(t, limits)
	api := serve(t, store, nil)
	code, message := send(t, api, "alice", "POST", "namespaces/a/notes", note("x", "123456"))
	require.Equal(t, 201, code, message)
	size := sizeOf(t, store, "a", "x")
	limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Resource: notesName, Bytes: size - 3}}

	for _, step := range []struct {
		text string
		code int
	}{{"1234567", 403}, {"123457", 200}, {"12345", 200}, {"123456", 403}, {"12", 200}, {"123", 200}, {"1234", 403}} {
		code, message = send(t, api, "alice", "PATCH", "namespaces/a/notes/x", `{"text":"`+step.text+`"}`)
		assert.Equal(t, step.code, code, "%s: %s", step.text, message)
	}
	code, message = send(t, api, "alice", "PATCH", "namespaces/a/notes/x?dryRun=All", `{"text":"1234"}`)
	assert.Equal(t, 403, code, "a dry run is refused like the write")
	assert.Contains(t, message, fmt.Sprintf("requested: bytes/notes.example.com=1, used: bytes/notes.example.com=%d, limited", size-3))
	code, _ = send(t, api, "alice", "PATCH", "namespaces/a/notes/x?dryRun=All", `{"text":"1"}`)
	assert.Equal(t, 200, code)
	code, _ = send(t, api, "alice", "PATCH", "namespaces/a/notes/x/status", `{"status":{"text":"1"}}`)
	assert.Equal(t, 403, code, "the status needs room, too")
}

// Every way of deleting frees the place. A deletion that waits for finalizers passes, and frees the place when the
// object goes.
func TestDeletions(t *testing.T) {
	store := inMemory(t, map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "q", Resource: notesName, Objects: 1}}})
	api := serve(t, store, nil)
	for name, path := range map[string]string{"delete": "namespaces/a/notes/x", "deletecollection": "namespaces/a/notes"} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, create(t.Context(), api, "alice", "a", "x"))
			assert.True(t, status.IsForbidden(create(t.Context(), api, "alice", "a", "y")))
			code, message := send(t, api, "bob", "DELETE", path+"?dryRun=All", "")
			require.Equal(t, 200, code, message)
			assert.True(t, status.IsForbidden(create(t.Context(), api, "alice", "a", "y")), "a dry run frees nothing")
			code, message = send(t, api, "bob", "DELETE", path, "")
			require.Equal(t, 200, code, message)
		})
	}
	t.Run("finalizers", func(t *testing.T) {
		limits := map[quota.Account][]quota.Limit{}
		store := inMemory(t, limits)
		api := serve(t, store, nil)
		client := as(t, api, "alice", "a")
		_, err := client.Create(t.Context(),
			&Note{ObjectMeta: apimeta.ObjectMeta{Name: "x", Finalizers: []string{"example.com/hold"}}})
		require.NoError(t, err)
		limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Objects: 1, Bytes: sizeOf(t, store, "a", "x")}}

		code, message := send(t, api, "alice", "DELETE", "namespaces/a/notes/x", "")
		require.Equal(t, 200, code, message)
		assert.True(t, status.IsForbidden(create(t.Context(), api, "alice", "a", "y")))
		code, _ = send(t, api, "alice", "PATCH", "namespaces/a/notes/x", `{"text":"a text that grows"}`)
		assert.Equal(t, 403, code, "an object that is being deleted may not grow")
		code, message = send(t, api, "alice", "PATCH", "namespaces/a/notes/x", `{"metadata":{"finalizers":null}}`)
		require.Equal(t, 200, code, message)
		limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Objects: 1}}
		require.NoError(t, create(t.Context(), api, "alice", "a", "y"))
	})
}

// A write that fails for another reason uses up nothing, and its error says nothing about quotas.
func TestFailedWrites(t *testing.T) {
	api := serve(t, inMemory(t, map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "q", Resource: notesName,
		Objects: 2}}}), nil)
	require.NoError(t, create(t.Context(), api, "alice", "a", "x"))
	for range 3 {
		assert.True(t, status.IsAlreadyExists(create(t.Context(), api, "alice", "a", "x")))
		assert.True(t, status.IsInvalid(create(t.Context(), api, "alice", "a", "Not A Name")))
	}
	require.NoError(t, create(t.Context(), api, "alice", "a", "y"))
	assert.True(t, status.IsAlreadyExists(create(t.Context(), api, "alice", "a", "x")), "also without room")
}

// An object counts for the user who created it, whoever writes it.
func TestCreators(t *testing.T) {
	limits := map[quota.Account][]quota.Limit{{User: "alice"}: {{Name: "of alice", Objects: 1}}}
	store := inMemory(t, limits)
	api := serve(t, store, nil)
	require.NoError(t, create(t.Context(), api, "alice", "a", "x"))
	assert.True(t, status.IsForbidden(create(t.Context(), api, "alice", "b", "x")), "in another namespace, too")
	require.NoError(t, create(t.Context(), api, "bob", "a", "y"))

	code, message := send(t, api, "bob", "PATCH", "namespaces/a/notes/x", `{"text":"by bob"}`)
	require.Equal(t, 200, code, message)
	limits[quota.Account{User: "alice"}] = []quota.Limit{{Name: "of alice", Bytes: sizeOf(t, store, "a", "x")}}
	_, message = send(t, api, "bob", "PATCH", "namespaces/a/notes/x", `{"text":"more by bob"}`)
	assert.Equal(t, `notes.example.com "x" is forbidden: exceeded quota: of alice`, message,
		"bob does not learn what alice has")
	_, message = send(t, api, "alice", "PATCH", "namespaces/a/notes/x", `{"text":"more by alice"}`)
	assert.Contains(t, message, "used: ")

	require.NoError(t, as(t, api, "bob", "a").Delete(t.Context(), "x", rest.DeleteOptions{}))
	limits[quota.Account{User: "alice"}] = []quota.Limit{{Name: "of alice", Objects: 1}}
	require.NoError(t, create(t.Context(), api, "bob", "a", "x"), "the name has a new creator")
	require.NoError(t, create(t.Context(), api, "alice", "a", "z"))
}

// A client whose rights are restricted does not learn how many objects it does not see.
func TestRestrictedClients(t *testing.T) {
	mine, err := apimeta.ParseLabelSelector("of=alice")
	require.NoError(t, err)
	authorizer := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.User.Name == "alice" {
			return access.AllowOnly("", access.Filter{Labels: mine}), nil
		}
		return access.Allow(""), nil
	})
	api := serve(t, inMemory(t, map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "q", Resource: notesName,
		Objects: 1}}}), authorizer)
	require.NoError(t, create(t.Context(), api, "bob", "a", "x"))
	body := `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"y","labels":{"of":"alice"}}}`
	for _, query := range []string{"", "?dryRun=All"} {
		code, message := send(t, api, "alice", "POST", "namespaces/a/notes"+query, body)
		assert.Equal(t, 403, code)
		assert.Equal(t, `notes.example.com "y" is forbidden: exceeded quota: q`, message)
	}
	code, _ := send(t, api, "alice", "POST", "namespaces/a/notes", strings.Replace(body, `"y"`, `"x"`, 1))
	assert.Equal(t, 409, code, "a taken name is a conflict, as without a quota")
}

// A panic of the function that returns the limits fails the request, and leaves the store usable.
func TestLimitsThatPanic(t *testing.T) {
	limits := quota.New(func(of quota.Account) []quota.Limit {
		if of.User == "mallory" {
			panic("the database of limits is down")
		}
		return []quota.Limit{{Name: "q", Objects: 1}}
	})
	store := memory.New(storage.Options{Ledger: limits})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	api := serve(t, store, nil)
	for _, c := range []struct {
		user, path string
		code       int
	}{{"mallory", "", 500}, {"mallory", "?dryRun=All", 500}, {"alice", "", 201}, {"bob", "", 409}} {
		code, message := send(t, api, c.user, "POST", "namespaces/a/notes"+c.path, note("x", ""))
		assert.Equal(t, c.code, code, "%s: %s", c.user, message)
	}
}

// A transaction that begins a deletion and then makes the object larger needs room for what it adds.
func TestGrowthBesideADeletion(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			limits := map[quota.Account][]quota.Limit{}
			store := open(t, limits)
			api := serve(t, store, nil)
			notes := as(t, api, "alice", "a")
			for _, name := range []string{"x", "y"} {
				_, err := notes.Create(t.Context(), &Note{ObjectMeta: apimeta.ObjectMeta{Name: name,
					Finalizers: []string{"example.com/hold"}}})
				require.NoError(t, err)
			}
			room := sizeOf(t, store, "a", "x") + sizeOf(t, store, "a", "y")
			grow := func(ctx context.Context, name string, by int) error {
				_, err := notes.Modify(ctx, name, func(n *Note) error { n.Text += strings.Repeat("x", by); return nil })
				return err
			}
			deleteAndGrow := func(by int) error {
				return api.Transact(t.Context(), func(ctx context.Context) error {
					if err := notes.Delete(ctx, "x", rest.DeleteOptions{}); err != nil {
						return err
					}
					return grow(ctx, "x", by)
				})
			}
			limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Bytes: room + 2000}}
			for range 3 {
				assert.True(t, status.IsForbidden(deleteAndGrow(3000)))
			}
			assert.True(t, status.IsForbidden(api.Transact(t.Context(), func(ctx context.Context) error {
				return errors.Join(grow(ctx, "x", 3000), notes.Delete(ctx, "x", rest.DeleteOptions{}))
			})), "in the other order")
			require.NoError(t, deleteAndGrow(1000))

			limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "q", Bytes: 1}}
			require.NoError(t, notes.Delete(t.Context(), "y", rest.DeleteOptions{PropagationPolicy: apimeta.DeletePropagationForeground}),
				"a deletion alone needs no room")
			assert.True(t, status.IsForbidden(grow(t.Context(), "y", 1)))
		})
	}
}

// Former versions count in no limit on all resources. So a full namespace can change and delete its objects.
func TestFormerVersionsDoNotCount(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			limits := map[quota.Account][]quota.Limit{}
			remembered := notes()
			remembered.History = &rest.History{}
			api, err := rest.New(rest.Options{Store: open(t, limits), Authenticator: byHeader}, remembered)
			require.NoError(t, err)
			defer func() { assert.NoError(t, api.Close()) }()
			succeeds := func(method, path, body string) {
				t.Helper()
				code, message := send(t, api, "alice", method, path, body)
				require.Less(t, code, 300, message)
			}
			limits[quota.Account{Namespace: "a"}] = []quota.Limit{{Name: "few", Objects: 2}, {Name: "small", Bytes: 2000}}
			limits[quota.Account{User: "alice"}] = []quota.Limit{{Name: "mine", Objects: 2}}
			succeeds("POST", "namespaces/a/notes", note("1", ""))
			succeeds("POST", "namespaces/a/notes", note("2", ""))
			for i := range 10 {
				succeeds("PATCH", "namespaces/a/notes/1", fmt.Sprintf(`{"text":"%d"}`, i))
			}
			succeeds("DELETE", "namespaces/a/notes/1", "")
			succeeds("POST", "namespaces/a/notes", note("3", ""))
			code, _ := send(t, api, "alice", "POST", "namespaces/a/notes", note("4", ""))
			assert.Equal(t, 403, code)
		})
	}
}
