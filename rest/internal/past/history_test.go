package past_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
)

const first = apitest.Widgets + "/first"

// keeping returns a declaration of Widgets that keeps a history.
func keeping(h rest.History, options ...apitest.WidgetOption) rest.Resource[apitest.Widget] {
	return apitest.WidgetResource(append(options, func(r *rest.Resource[apitest.Widget]) { r.History = &h })...)
}

// newKeeping is an API whose Widgets have a history.
func newKeeping(t testing.TB, options ...apitest.WidgetOption) *rest.API {
	return apitest.New(t, rest.Options{}, keeping(rest.History{}, options...))
}

// versions returns the versions of the widget "first", the youngest first.
func versions(t testing.TB, h http.Handler, headers ...string) history.ObjectVersionList {
	t.Helper()
	var list history.ObjectVersionList
	apitest.Must(t, h, "GET", first+"/history", "", headers...).Decode(t, &list)
	return list
}

// changes returns what each version of the widget "first" changed, the oldest first.
func changes(t testing.TB, h http.Handler) (all []string) {
	t.Helper()
	for _, v := range slices.Backward(versions(t, h).Items) {
		all = append(all, fmt.Sprint(v.Written.Operation, " ", v.Changed))
	}
	return all
}

// size sets the size of the widget "first" and returns its resourceVersion.
func size(t testing.TB, h http.Handler, n int, headers ...string) string {
	t.Helper()
	headers = append(headers, "Content-Type", "application/merge-patch+json")
	return apitest.Must(t, h, "PATCH", first, fmt.Sprintf(`{"spec":{"size":%d}}`, n), headers...).ResourceVersion(t)
}

// create creates the widget "first" with the size 3.
func create(t testing.TB, h http.Handler) apitest.Answer {
	t.Helper()
	return apitest.CreateWidget(t, h, "first", `"spec":{"size":3}`)
}

func undoOf(revision, more string) string {
	return `{"apiVersion":"` + history.APIVersion + `","kind":"UndoRequest","revision":"` + revision + `"` + more + `}`
}

// Each kind of write replaces a version, unless it changes nothing that belongs to versions.
func TestWritesThatReplaceAVersion(t *testing.T) {
	put := func(t *testing.T, api *rest.API) {
		w := apitest.Must(t, api, "GET", first, "").Body
		apitest.Must(t, api, "PUT", first, strings.Replace(w, `"size":3`, `"size":4`, 1))
	}
	patch := func(path, text string) func(*testing.T, *rest.API) {
		return func(t *testing.T, api *rest.API) { apitest.MergePatch(t, api, path, text) }
	}
	for name, c := range map[string]struct {
		write func(*testing.T, *rest.API)
		want  []string // what the younger versions have changed; the first one is the create
	}{
		"put": {put, []string{"Update [.spec.size]"}},
		"patch": {patch(first, `{"spec":{"size":4,"color":"green"}}`),
			[]string{"Patch [.spec.color .spec.size]"}},
		"a list counts whole": {patch(first, `{"spec":{"tags":["a","b"]}}`), []string{"Patch [.spec.tags]"}},
		"labels": {patch(first, `{"metadata":{"labels":{"a.b/c":"d"},"annotations":{"e":"f"}}}`),
			[]string{"Patch [.metadata.annotations.e .metadata.labels['a.b/c']]"}},
		"apply": {func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", first+"?fieldManager=m&force=true",
				`{"apiVersion":"example.com/v1","kind":"Widget","spec":{"size":9}}`, "Content-Type", "application/apply-patch+yaml")
		}, []string{"Apply [.spec.size]"}},
		"scale":      {patch(first+"/scale", `{"spec":{"replicas":7}}`), []string{"Patch [.spec.replicas]"}},
		"nothing":    {patch(first, `{"spec":{"size":3}}`), nil},
		"status":     {patch(first+"/status", `{"status":{"phase":"Ready"}}`), nil},
		"finalizers": {patch(first, `{"metadata":{"finalizers":["example.com/f"]}}`), nil},
		"a dry run":  {patch(first+"?dryRun=All", `{"spec":{"size":4}}`), nil},
		"status between": {func(t *testing.T, api *rest.API) {
			patch(first+"/status", `{"status":{"phase":"Ready"}}`)(t, api)
			put(t, api)
		}, []string{"Update [.spec.size]"}},
		"a refused write": {func(t *testing.T, api *rest.API) {
			assert.Equal(t, 422, apitest.Do(t, api, "PATCH", first, `{"spec":{"size":-4}}`, "Content-Type",
				"application/merge-patch+json").Code)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			api := newKeeping(t)
			create(t, api)
			c.write(t, api)
			assert.Equal(t, append([]string{"Create []"}, c.want...), changes(t, api))
		})
	}
}

// Every resourceVersion that an object ever had names the version that it had then.
func TestEveryResourceVersionNamesAVersion(t *testing.T) {
	api := newKeeping(t)
	sizes := map[string]any{create(t, api).ResourceVersion(t): 3.0}
	for n := range 5 {
		if n%2 == 0 {
			apitest.CreateWidget(t, api, fmt.Sprint("other", n))
			rv := apitest.MergePatch(t, api, first+"/status", fmt.Sprintf(`{"status":{"replicas":%d}}`, n+1)).ResourceVersion(t)
			sizes[rv] = apitest.Must(t, api, "GET", first, "").Value(t, "spec.size")
		}
		sizes[size(t, api, 10+n)] = float64(10 + n)
	}
	require.Len(t, sizes, 9)
	for rv, want := range sizes {
		got := apitest.Must(t, api, "GET", first+"/history?revision="+rv, "")
		assert.Equal(t, want, got.Value(t, "spec.size"), rv)
		assert.Equal(t, "Widget", got.Text(t, "kind"))
	}
	for _, rv := range []string{"1", "100000"} {
		apitest.WantFailure(t, apitest.Do(t, api, "GET", first+"/history?revision="+rv, ""), 404, "NotFound",
			`the version `+rv+` of widgets.example.com "first" is not kept`,
			`{"name":"first","group":"example.com","kind":"widgets"}`)
	}
	assert.Equal(t, 400, apitest.Do(t, api, "GET", first+"/history?revision=x", "").Code)
}

func TestDifference(t *testing.T) {
	api := newKeeping(t)
	from := create(t, api).ResourceVersion(t)
	to := apitest.MergePatch(t, api, first,
		`{"metadata":{"labels":{"a":"b"}},"spec":{"color":"green"}}`).ResourceVersion(t)
	size(t, api, 8)
	for name, c := range map[string]struct{ query, want string }{
		"two versions": {"from=" + from + "&to=" + to,
			`[{"path":".metadata.labels.a","new":"b"},{"path":".spec.color","old":"red","new":"green"}]`},
		"backwards": {"from=" + to + "&to=" + from,
			`[{"path":".metadata.labels.a","old":"b"},{"path":".spec.color","old":"green","new":"red"}]`},
		"the present": {"from=" + to, `[{"path":".spec.size","old":3,"new":8}]`},
		"nothing":     {"from=" + to + "&to=" + to, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			got := apitest.Must(t, api, "GET", first+"/history?"+c.query, "")
			assert.Equal(t, "Difference", got.Text(t, "kind"))
			assert.JSONEq(t, c.want, apitest.JSONOf(t, got.Value(t, "changes")))
		})
	}
	for _, query := range []string{"to=" + to, "revision=" + to + "&from=" + from} {
		assert.Equal(t, 400, apitest.Do(t, api, "GET", first+"/history?"+query, "").Code, query)
	}
}

func TestListOfVersions(t *testing.T) {
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader}, keeping(rest.History{}))
	alice, bob := []string{"Test-User", "alice"}, []string{"Test-User", "bob", "User-Agent", "kubectl/v1"}
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"first"`), alice...)
	size(t, api, 4, bob...)
	apitest.WantJSON(t, apitest.Must(t, api, "GET", first+"/history", "", alice...), 200, `{"kind":"ObjectVersionList",
		"apiVersion":"`+history.APIVersion+`","metadata":{"resourceVersion":"6"},"items":[
		{"metadata":{"name":"first","namespace":"default","uid":"uid-1","resourceVersion":"6"},
			"written":{"time":"`+apitest.NowText+`","user":"bob","manager":"kubectl","operation":"Patch"},"current":true,"changed":[".spec.size"]},
		{"metadata":{"name":"first","namespace":"default","uid":"uid-1","resourceVersion":"3"},
			"written":{"time":"`+apitest.NowText+`","user":"alice","operation":"Create"}}]}`)

	table := apitest.Must(t, api, "GET", first+"/history", "",
		append(alice, "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")...)
	assert.Equal(t, "Table", table.Text(t, "kind"))
	assert.JSONEq(t, `[{"cells":["6","`+apitest.NowText+`","bob","Patch",".spec.size","kubectl"],"object":null},
		{"cells":["3","`+apitest.NowText+`","alice","Create","",""],"object":null}]`, apitest.JSONOf(t, table.Value(t, "rows")))
	assert.Contains(t, apitest.Must(t, api, "GET", first+"/history", "",
		append(alice, "Accept", "application/yaml")...).Body, "operation: Patch")
	assert.Equal(t, 406, apitest.Do(t, api, "GET", first+"/history", "",
		append(alice, "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")...).Code)
}

func TestUndo(t *testing.T) {
	undo := func(body string, more ...string) func(*testing.T, *rest.API) apitest.Answer {
		query := strings.Join(more, "&")
		return func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "POST", first+"/undo?fieldManager=doctor&"+query, body)
		}
	}
	for name, c := range map[string]struct {
		undo     func(*testing.T, *rest.API) apitest.Answer
		code     int
		now      float64 // the size afterwards
		versions int
		says     string
	}{
		"to a revision":          {undo(undoOf("3", "")), 201, 3, 4, `"size":3`},
		"the last write":         {undo(undoOf("", "")), 201, 4, 4, `"size":4`},
		"a dry run":              {undo(undoOf("3", ""), "dryRun=All"), 201, 5, 3, `"size":3`},
		"to the present version": {undo(undoOf("8", "")), 201, 5, 3, `"size":5`},
		"matching preconditions": {undo(undoOf("3", `,"preconditions":{"uid":"uid-1","resourceVersion":"8"}`)), 201, 3, 4,
			`"size":3`},
		"another revision": {undo(undoOf("3", `,"preconditions":{"resourceVersion":"6"}`)), 409, 5, 3,
			"ResourceVersion in the precondition (6)"},
		"another uid": {undo(undoOf("3", `,"preconditions":{"uid":"uid-2"}`)), 409, 5, 3,
			"UID in the precondition (uid-2)"},
		"an unknown revision": {undo(undoOf("1", "")), 404, 5, 3, "the version 1 of"},
		"an invalid revision": {undo(undoOf("one", "")), 400, 5, 3,
			`invalid resource version: resourceVersion: Invalid value: \"one\"`},
		"another kind": {undo(strings.Replace(undoOf("3", ""), "UndoRequest", "Widget", 1)), 422, 5, 3,
			"must be UndoRequest"},
		"an unknown field": {undo(undoOf("3", `,"speed":1`), "fieldValidation=Strict"), 400, 5, 3,
			`unknown field \"speed\"`},
	} {
		t.Run(name, func(t *testing.T) {
			api := newKeeping(t)
			create(t, api)
			size(t, api, 4)
			require.Equal(t, "8", size(t, api, 5))
			got := c.undo(t, api)
			assert.Equal(t, c.code, got.Code, got.Body)
			assert.Contains(t, got.Body, c.says)
			assert.Equal(t, c.now, apitest.Must(t, api, "GET", first, "").Value(t, "spec.size"))
			assert.Len(t, versions(t, api).Items, c.versions)
		})
	}
}

// An undo keeps what belongs to the server and to controllers, and its field manager owns what it changes.
func TestUndoIsAnOrdinaryWrite(t *testing.T) {
	var seen []string
	hook := apitest.Validating("seeing.example.com", func(_ context.Context, r *admission.Request) error {
		seen = append(seen, fmt.Sprint(r.Operation, " ", r.Resource.Resource, r.Subresource))
		return nil
	})
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, keeping(rest.History{}))
	create(t, api)
	apitest.MergePatch(t, api, first, `{"metadata":{"labels":{"a":"b"}},"spec":{"size":4}}`)
	apitest.MergePatch(t, api, first+"/status", `{"status":{"phase":"Ready"}}`)
	apitest.MergePatch(t, api, first, `{"metadata":{"finalizers":["example.com/f"]}}`)
	seen = nil
	got := apitest.Must(t, api, "POST", first+"/undo?fieldManager=doctor", undoOf("", ""))
	assert.Equal(t, []string{"UPDATE widgets"}, seen)
	assert.Equal(t, 3.0, got.Value(t, "spec.size"))
	assert.Equal(t, "Ready", got.Text(t, "status.phase"))
	assert.Equal(t, 3.0, got.Value(t, "metadata.generation"))
	assert.Equal(t, []any{"example.com/f"}, got.Value(t, "metadata.finalizers"))
	assert.NotContains(t, got.Body, `"labels"`)
	assert.Contains(t, apitest.JSONOf(t, got.Value(t, "metadata.managedFields")),
		`{"f:size":{}}},"manager":"doctor","operation":"Update"`)
	assert.Equal(t, "Undo", string(versions(t, api).Items[0].Written.Operation))
}

// A write that the present rules refuse cannot come back by an undo.
func TestUndoIsValidated(t *testing.T) {
	strict := false
	api := newKeeping(t, apitest.WithValidate(func(_ context.Context, w, _ *apitest.Widget) (status.FieldErrors, error) {
		if strict && *w.Spec.Size < 4 {
			return status.FieldErrors{status.InvalidField(status.NewPath("spec", "size"), *w.Spec.Size, "is too small now")}, nil
		}
		return nil, nil
	}))
	create(t, api)
	size(t, api, 4)
	strict = true
	got := apitest.Do(t, api, "POST", first+"/undo", undoOf("", ""))
	assert.Equal(t, 422, got.Code)
	assert.Contains(t, got.Body, "is too small now")
	assert.Len(t, versions(t, api).Items, 2)
}

func TestDeletedObjects(t *testing.T) {
	api := newKeeping(t)
	create(t, api)
	apitest.MergePatch(t, api, first, `{"metadata":{"finalizers":["example.com/f"],"labels":{"a":"b"}},"spec":{"size":4}}`)
	apitest.Must(t, api, "DELETE", first, "")
	assert.Len(t, versions(t, api).Items, 2, "a mark makes no version")
	apitest.MergePatch(t, api, first, `{"metadata":{"finalizers":null}}`)
	require.Equal(t, 404, apitest.Do(t, api, "GET", first, "").Code)

	past := versions(t, api)
	require.NotNil(t, past.Deleted)
	assert.Equal(t, history.Delete, past.Deleted.Operation)
	assert.Empty(t, past.ResourceVersion)
	require.Len(t, past.Items, 2)
	assert.False(t, past.Items[0].Current)
	table := apitest.Must(t, api, "GET", first+"/history", "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	assert.Equal(t, "Delete", table.Value(t, "rows").([]any)[0].(map[string]any)["cells"].([]any)[3])

	got := apitest.Do(t, api, "POST", first+"/undo", undoOf("", `,"preconditions":{"uid":"uid-9"}`))
	assert.Equal(t, 409, got.Code, got.Body)
	got = apitest.Must(t, api, "POST", first+"/undo?dryRun=All", undoOf("", ""))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", first, "").Code, "a dry run restores nothing")
	got = apitest.Must(t, api, "POST", first+"/undo", undoOf("", `,"preconditions":{"uid":"uid-1"}`))
	assert.Equal(t, 4.0, got.Value(t, "spec.size"))
	assert.Equal(t, "b", got.Text(t, "metadata.labels.a"))
	assert.NotEqual(t, "uid-1", got.Text(t, "metadata.uid"))
	assert.NotContains(t, got.Body, "finalizers")
	assert.Equal(t, []string{"Undo []"}, changes(t, api), "the new object has a history of its own")

	apitest.Must(t, api, "DELETE", first, "")
	got = apitest.Must(t, api, "POST", first+"/undo", undoOf("", ""))
	assert.Equal(t, 4.0, got.Value(t, "spec.size"), "the last object with the name counts")
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/none/history", "").Code)
	assert.Equal(t, 404, apitest.Do(t, api, "POST", apitest.Widgets+"/none/undo", undoOf("", "")).Code)
}

// A recreated object does not show the past of its predecessor.
func TestRecreatedObject(t *testing.T) {
	api := newKeeping(t)
	old := create(t, api).ResourceVersion(t)
	apitest.Must(t, api, "DELETE", first, "")
	create(t, api)
	assert.Equal(t, []string{"Create []"}, changes(t, api))
	assert.Equal(t, 404, apitest.Do(t, api, "POST", first+"/undo", undoOf(old, "")).Code)
}

func TestLimits(t *testing.T) {
	now := apitest.Now()
	clock := func() time.Time { return now }
	store := apitest.CloseAtEnd(t, memory.New(storage.Options{Start: 1, Now: clock}))
	api := apitest.New(t, rest.Options{Store: store, Now: clock}, keeping(rest.History{Versions: 2, For: time.Hour}))
	create(t, api)
	for n := range 4 {
		size(t, api, 4+n)
	}
	assert.Len(t, versions(t, api).Items, 3, "the present one and two before it")
	now = now.Add(time.Hour)
	assert.Len(t, versions(t, api).Items, 1)
	assert.Equal(t, 404, apitest.Do(t, api, "POST", first+"/undo", undoOf("", "")).Code)
	size(t, api, 9)
	assert.Equal(t, []string{"Patch []", "Patch [.spec.size]"}, changes(t, api))
}

// Nobody writes the objects any more, and their versions go all the same.
func TestExpiredVersionsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		api := apitest.New(t, rest.Options{Store: store, Now: time.Now}, keeping(rest.History{For: 2 * time.Hour}))
		create(t, api)
		size(t, api, 4)
		size(t, api, 5)
		apitest.CreateWidget(t, api, "second")
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/second", "")
		<-time.After(90 * time.Minute) // the clock of the bubble moves at once
		assert.Len(t, versions(t, api).Items, 3)
		<-time.After(2 * time.Hour)
		synctest.Wait() // this waits for the removal that the same hour began
		held, err := store.List(t.Context(),
			storage.Query{Within: storage.Key{Resource: "history.widgets.example.com.decorum"}}, nil)
		require.NoError(t, err)
		require.Len(t, held.Records, 1)
		assert.NotContains(t, string(storagetest.Text(held.Records[0])), `"size"`)
		assert.Equal(t, history.Patch, versions(t, api).Items[0].Written.Operation,
			"who wrote the present state is still known")
	})
}

func TestPurge(t *testing.T) {
	api := newKeeping(t)
	create(t, api)
	apitest.Must(t, api, "DELETE", first, "")
	create(t, api)
	size(t, api, 4)
	apitest.CreateWidget(t, api, "first-b")
	before, err := api.Objects().ResourcesIn(t.Context(), "default")
	require.NoError(t, err)
	assert.Equal(t, []string{"widgets.example.com"}, before, "former versions are not objects")

	apitest.Must(t, api, "DELETE", first+"/history", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`)
	assert.Len(t, versions(t, api).Items, 2)
	assert.Equal(t, "Success", apitest.Must(t, api, "DELETE", first+"/history", "").Text(t, "status"))
	list := versions(t, api)
	require.Len(t, list.Items, 1, "the present state stays")
	assert.Zero(t, list.Items[0].Written, "who wrote it is erased as well")
	size(t, api, 5)
	assert.Equal(t, []string{" []", "Patch [.spec.size]"}, changes(t, api), "the history goes on")
	assert.Equal(t, "Create", apitest.Must(t, api, "GET", apitest.Widgets+"/first-b/history", "").Value(t,
		"items").([]any)[0].(map[string]any)["written"].(map[string]any)["operation"])
	assert.Equal(t, 404, apitest.Do(t, api, "DELETE", apitest.Widgets+"/none/history", "").Code)

	apitest.Must(t, api, "DELETE", first, "")
	apitest.Must(t, api, "DELETE", first+"/history", "")
	assert.Equal(t, 404, apitest.Do(t, api, "GET", first+"/history", "").Code)
}

// rights is an Authorizer that grants verbs on resources to users, and restricts some users to objects with a label.
type rights struct {
	granted    map[string][]string
	restricted map[string]access.Filter
}

func (r rights) Authorize(_ context.Context, a access.Access) (access.Decision, error) {
	if only, ok := r.restricted[a.User.Name]; ok {
		return access.AllowOnly("", only), nil
	}
	if a.User.Name == "root" || slices.Contains(r.granted[a.User.Name], string(a.Verb)+" "+a.Resource+"/"+a.Subresource) {
		return access.Allow(""), nil
	}
	return access.Deny("no"), nil
}

func TestRights(t *testing.T) {
	granted := map[string][]string{
		"editor": {"get widgets/", "update widgets/", "patch widgets/", "delete widgets/"},
		"reader": {"get widgets/history"}, "doctor": {"create widgets/undo"}, "eraser": {"delete widgets/history"},
	}
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: rights{granted: granted}},
		keeping(rest.History{}))
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"first"`), "Test-User", "root")
	size(t, api, 4, "Test-User", "root")
	for _, c := range []struct{ method, path, body, user string }{
		{"GET", "/history", "", "reader"}, {"GET", "/history?revision=3", "", "reader"},
		{"GET", "/history?from=3", "", "reader"},
		{"POST", "/undo", undoOf("", ""), "doctor"}, {"DELETE", "/history", "", "eraser"},
	} {
		for _, user := range append(slices.Sorted(maps.Keys(granted)), "nobody") {
			query := "?"
			if strings.Contains(c.path, "?") {
				query = "&"
			}
			if c.method == "POST" {
				query += "dryRun=All"
			}
			body := c.body
			if c.method == "DELETE" {
				body = `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`
			}
			got := apitest.Do(t, api, c.method, first+c.path+query, body, "Test-User", user)
			if user == c.user {
				assert.Less(t, got.Code, 300, "%v %s", c, got.Body)
			} else {
				assert.Equal(t, 403, got.Code, "%v as %s", c, user)
			}
		}
	}
}

// A user whose rights are restricted sees the versions that these rights cover, of objects that they cover.
func TestRestrictedRights(t *testing.T) {
	team, err := apimeta.ParseLabelSelector("team=a")
	require.NoError(t, err)
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader,
		Authorizer: rights{restricted: map[string]access.Filter{"alice": {Labels: team}}}}, keeping(rest.History{}))
	label := func(text string) string {
		return apitest.Must(t, api, "PATCH", first, `{"metadata":{"labels":{"team":"`+text+`"}}}`, "Test-User", "root",
			"Content-Type", "application/merge-patch+json").ResourceVersion(t)
	}
	as := func(method, path, body string) apitest.Answer {
		return apitest.Do(t, api, method, first+path, body, "Test-User", "alice")
	}
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"first"`), "Test-User", "root")
	theirs := label("b")
	for _, c := range [][3]string{
		{"GET", "/history"}, {"GET", "/history?revision=" + theirs}, {"POST", "/undo", undoOf("", "")},
		{"DELETE", "/history"},
	} {
		assert.Equal(t, as(c[0], c[1], c[2]).Code, 404, "an object of others: %v", c)
	}
	label("a")
	size(t, api, 5, "Test-User", "root")
	list := versions(t, api, "Test-User", "alice")
	require.Len(t, list.Items, 2)
	assert.Equal(t, []string{".spec.size"}, list.Items[0].Changed)
	assert.Empty(t, list.Items[1].Changed, "a hidden version shows nothing of itself")
	hidden := as("GET", "/history?revision="+theirs, "")
	assert.Equal(t, 404, hidden.Code)
	assert.Equal(t, strings.ReplaceAll(hidden.Body, theirs, "N"),
		strings.ReplaceAll(as("GET", "/history?revision=2", "").Body, "version 2 ", "version N "))
	assert.Equal(t, 404, as("GET", "/history?from="+theirs, "").Code)
	assert.Equal(t, 404, as("POST", "/undo", undoOf(theirs, "")).Code)
	assert.Equal(t, 201, as("POST", "/undo", undoOf("", "")).Code)
	assert.Equal(t, 404, as("POST", "/undo", undoOf("2", "")).Code)

	all := len(versions(t, api, "Test-User", "root").Items)
	require.Equal(t, 5, all)
	apitest.Must(t, api, "DELETE", first+"/history", "", "Test-User", "alice")
	assert.Len(t, versions(t, api, "Test-User", "root").Items, 3,
		"the versions that alice does not see stay, and the present one")

	label("b")
	apitest.Must(t, api, "DELETE", first, "", "Test-User", "root")
	assert.Equal(t, 404, as("GET", "/history", "").Code, "a deleted object of others")
	assert.Equal(t, 404, as("POST", "/undo", undoOf("", "")).Code)
}

// WidgetToo is a later declaration of Widget: it has lost a field and has a new one with a default.
type WidgetToo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Size  int32  `json:"size"`
		Shape string `json:"shape,omitempty" api:"default=round"`
	} `json:"spec"`
}

// Versions of before a change of the kind are shown, compared and restored in its present form.
func TestLaterDeclaration(t *testing.T) {
	api := newKeeping(t)
	create(t, api)
	old := size(t, api, 4)
	later := rest.Resource[WidgetToo]{Group: "example.com", Version: "v1", Plural: "widgets",
		Names: rest.Names{Kind: "Widget"}, History: &rest.History{}}
	require.NoError(t, api.ReplaceResources(t.Context(), later))
	size(t, api, 5)
	assert.JSONEq(t, `{"size":4,"shape":"round"}`,
		apitest.JSONOf(t, apitest.Must(t, api, "GET", first+"/history?revision="+old, "").Value(t, "spec")))
	assert.Equal(t, []string{"Create []", "Patch [.spec.size]", "Patch [.spec.size]"}, changes(t, api))
	got := apitest.Must(t, api, "POST", first+"/undo", undoOf("3", ""))
	assert.JSONEq(t, `{"size":3,"shape":"round"}`, apitest.JSONOf(t, got.Value(t, "spec")))
}

// A version that the present declaration cannot convert is listed, and does not hinder the others.
func TestUnreadableVersion(t *testing.T) {
	api := apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) { r.History = &rest.History{} })
	cog := strings.Replace(apitest.Cogs+"/x", "/v1/", "/v1/", 1)
	made := apitest.Must(t, api, "POST", apitest.Cogs,
		`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"x"},"spec":{"teeth":5,"material":"wood"}}`)
	apitest.MergePatch(t, api, cog, `{"spec":{"material":"iron"}}`)
	beta := strings.Replace(cog, "example.com/v1/", "example.com/v1beta1/", 1)
	for path, code := range map[string]int{cog: 200, beta: 500} {
		got := apitest.Do(t, api, "GET", path+"/history?revision="+made.ResourceVersion(t), "")
		assert.Equal(t, code, got.Code, "%s: %s", path, got.Body)
		assert.Len(t, apitest.Must(t, api, "GET", path+"/history", "").Value(t, "items"), 2)
	}
	assert.Equal(t, "example.com/v1beta1",
		apitest.Must(t, api, "GET", beta+"/history?revision=5", "").Text(t, "apiVersion"))
}

func TestDiscoveryOfHistory(t *testing.T) {
	api := apitest.New(t, rest.Options{}, keeping(rest.History{}), apitest.CogResource())
	list := apitest.Must(t, api, "GET", "/apis/example.com/v1", "").Body
	assert.Contains(t, list, `{"name":"widgets/history","singularName":"","namespaced":true,"group":"`+history.Group+
		`","version":"v1alpha1","kind":"ObjectVersionList","verbs":["delete","get"]}`)
	assert.Contains(t, list, `{"name":"widgets/undo","singularName":"","namespaced":true,"group":"`+history.Group+
		`","version":"v1alpha1","kind":"UndoRequest","verbs":["create"]}`)
	assert.NotContains(t, list, "cogs/history")
	paths := apitest.Must(t, api, "GET", "/openapi/v3/apis/example.com/v1", "").Value(t, "paths").(map[string]any)
	of := func(path string) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/"+path].(map[string]any))),
			func(key string) bool { return key == "parameters" })
	}
	assert.Equal(t, []string{"delete", "get"}, of("history"))
	assert.Equal(t, []string{"post"}, of("undo"))

	readable := newKeeping(t, func(r *rest.Resource[apitest.Widget]) {
		r.Verbs = []access.Verb{access.VerbGet, access.VerbCreate}
	})
	list = apitest.Must(t, readable, "GET", "/apis/example.com/v1", "").Body
	assert.Contains(t, list, "widgets/history")
	assert.NotContains(t, list, "widgets/undo", "clients cannot update the objects")
}

type secret struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Data               map[string]string `json:"data,omitempty"`
}

func TestDeclarationsOfHistory(t *testing.T) {
	secrets := func(h rest.History) rest.Definition {
		return rest.Resource[secret]{Version: "v1", Plural: "secrets", Names: rest.Names{Kind: "Secret"}, History: &h}
	}
	for name, c := range map[string]struct {
		definition rest.Definition
		want       string
	}{
		"negative versions": {keeping(rest.History{Versions: -1}), "History: Versions -1: must be between 1 and 100"},
		"too many versions": {keeping(rest.History{Versions: 101}), "History: Versions 101: must be between 1 and 100"},
		"negative time":     {keeping(rest.History{For: -1}), "History: For -1ns: must be positive"},
		"secrets":           {secrets(rest.History{}), "History: Secrets hold credentials"},
		"secrets that may":  {secrets(rest.History{Confidential: true}), ""},
		"a virtual kind": {keeping(rest.History{}, func(r *rest.Resource[apitest.Widget]) {
			r.Scale, r.Hooks.Call = nil, func(context.Context, *apitest.Widget) error { return nil }
		}), "History: a virtual kind has no objects"},
		"another subresource": {keeping(rest.History{}, func(r *rest.Resource[apitest.Widget]) {
			r.Subresources = append(r.Subresources,
				rest.Subresource[apitest.Widget, secret]{Name: "undo",
					Get: func(context.Context, *apitest.Widget) (*secret, error) { return nil, nil }})
		}), `subresource "undo" is declared twice`},
	} {
		t.Run(name, func(t *testing.T) {
			api, err := rest.New(rest.Options{}, c.definition)
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, api.Close())
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// In-process clients and clients in other processes do the same.
func TestClientsOfHistory(t *testing.T) {
	api := newKeeping(t)
	server := apitest.Serve(t, api)
	for name, client := range map[string]rest.Client[apitest.Widget]{
		"in process": apitest.WidgetClient(t, api),
		"remote": apitest.ClientForEndpoint(t, rest.Endpoint{URL: server.URL},
			keeping(rest.History{})).Namespace("default"),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, object := t.Context(), strings.ReplaceAll(name, " ", "-")
			made, err := client.Create(ctx, apitest.NewWidget(object, 3))
			require.NoError(t, err)
			_, err = client.Modify(ctx, object, func(w *apitest.Widget) error { *w.Spec.Size = 4; return nil })
			require.NoError(t, err)
			list, err := rest.HistoryOf(client).List(ctx, object)
			require.NoError(t, err)
			require.Len(t, list.Items, 2)
			assert.Equal(t, made.ResourceVersion, list.Items[1].ResourceVersion)
			old, err := rest.HistoryOf(client).At(ctx, object, made.ResourceVersion)
			require.NoError(t, err)
			assert.EqualValues(t, 3, *old.Spec.Size)
			difference, err := rest.HistoryOf(client).Difference(ctx, object, made.ResourceVersion, "")
			require.NoError(t, err)
			assert.Equal(t, []history.FieldChange{{Path: ".spec.size", Old: json.RawMessage("3"), New: json.RawMessage("4")}},
				difference.Changes)

			uid := "other"
			_, err = rest.HistoryOf(client).Undo(ctx, object, "", rest.UndoOptions{Preconditions: &apimeta.Preconditions{UID: &uid}})
			assert.True(t, status.IsConflict(err), err)
			tried, err := rest.HistoryOf(client.DryRun()).Undo(ctx, object, "", rest.UndoOptions{})
			require.NoError(t, err)
			assert.EqualValues(t, 3, *tried.Spec.Size)
			undone, err := rest.HistoryOf(client.FieldManager("doctor")).Undo(ctx, object, made.ResourceVersion, rest.UndoOptions{})
			require.NoError(t, err)
			assert.EqualValues(t, 3, *undone.Spec.Size)
			_, err = rest.HistoryOf(client).At(ctx, object, "1")
			assert.True(t, status.IsNotFound(err), err)
			require.NoError(t, rest.HistoryOf(client.DryRun()).Purge(ctx, object))
			require.NoError(t, rest.HistoryOf(client).Purge(ctx, object))
			list, err = rest.HistoryOf(client).List(ctx, object)
			require.NoError(t, err)
			assert.Len(t, list.Items, 1)
			assert.True(t, status.IsNotFound(rest.HistoryOf(client).Purge(ctx, "none")))
		})
	}
	plain := apitest.NewWidgets(t)
	_, err := rest.HistoryOf(apitest.WidgetClient(t, plain)).List(t.Context(), "first")
	assert.True(t, status.IsNotFound(err), "a kind without a history: %v", err)
	assert.Equal(t, 404, apitest.Do(t, plain, "GET", first+"/history", "").Code)
}

// Writers that race for one object leave a version for each write, in the order of their commits.
func TestRacingWriters(t *testing.T) {
	api := apitest.Start(t, rest.Options{}, keeping(rest.History{Versions: 100}))
	client := apitest.WidgetClient(t, api)
	_, err := client.Create(t.Context(), apitest.NewWidget("first", 1))
	require.NoError(t, err)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				_, err := client.Modify(t.Context(), "first", func(w *apitest.Widget) error { *w.Spec.Size++; return nil })
				assert.NoError(t, err)
			}
		})
	}
	writers.Wait()
	list, err := rest.HistoryOf(client).List(t.Context(), "first")
	require.NoError(t, err)
	require.Len(t, list.Items, 41)
	for i, v := range slices.Backward(list.Items) {
		w, err := rest.HistoryOf(client).At(t.Context(), "first", v.ResourceVersion)
		require.NoError(t, err)
		assert.EqualValues(t, 41-i, *w.Spec.Size)
	}
}

// A transaction replaces one version of each object that it writes, or none if it fails.
func TestTransactions(t *testing.T) {
	api := newKeeping(t)
	client := apitest.WidgetClient(t, api)
	create(t, api)
	resize := func(ctx context.Context, n int32) error {
		_, err := client.Modify(ctx, "first", func(w *apitest.Widget) error { *w.Spec.Size = n; return nil })
		return err
	}
	require.NoError(t, api.Transact(t.Context(), func(ctx context.Context) error {
		_, err := client.Create(ctx, apitest.NewWidget("fleeting", 1))
		return errors.Join(err, resize(ctx, 4), resize(ctx, 5), client.Delete(ctx, "fleeting", rest.DeleteOptions{}))
	}))
	assert.Equal(t, []string{"Create []", "Update [.spec.size]"}, changes(t, api))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/fleeting/history", "").Code)
	refused := errors.New("refused")
	assert.ErrorIs(t, api.Transact(t.Context(),
		func(ctx context.Context) error { return errors.Join(refused, resize(ctx, 6)) }), refused)
	require.NoError(t, api.Transact(t.Context(), func(ctx context.Context) error {
		_, err := rest.HistoryOf(client).Undo(ctx, "first", "", rest.UndoOptions{})
		return err
	}))
	assert.Equal(t, []string{"Create []", "Update [.spec.size]", "Undo [.spec.size]"}, changes(t, api))
}

// The history is in the store of its kind, and lives on when the store is opened again.
func TestStoreOfItsOwn(t *testing.T) {
	widgets := apimeta.GroupResource{Group: "example.com", Resource: "widgets"}
	own := apitest.NewStore(t)
	options := rest.Options{Stores: map[apimeta.GroupResource]storage.Store{widgets: own}}
	api := apitest.New(t, options, keeping(rest.History{}))
	create(t, api)
	size(t, api, 4)
	require.NoError(t, api.Close())
	again := apitest.New(t, options, keeping(rest.History{}))
	assert.Equal(t, []string{"Create []", "Patch [.spec.size]"}, changes(t, again))
	require.NoError(t, again.Objects().PurgeHistory(t.Context(), "default"))
	assert.Len(t, versions(t, again).Items, 1)
}

// The records of the history do not count among the objects that a transaction may change.
func TestTransactionOfManyObjects(t *testing.T) {
	api := newKeeping(t)
	client := apitest.WidgetClient(t, api)
	write := func(count int) error {
		return api.Transact(t.Context(), func(ctx context.Context) error {
			for i := range count {
				name := fmt.Sprintf("w%03d", i)
				_, err := client.Modify(ctx, name, func(w *apitest.Widget) error { *w.Spec.Size++; return nil })
				if status.IsNotFound(err) {
					_, err = client.Create(ctx, apitest.NewWidget(name, 1))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range 12 { // from the tenth on, each write also drops a version
		require.NoError(t, write(100))
	}
	assert.Equal(t, 413, status.CodeOf(write(101)))
	var list history.ObjectVersionList
	apitest.Must(t, api, "GET", apitest.Widgets+"/w099/history", "").Decode(t, &list)
	assert.Len(t, list.Items, 11)
}
