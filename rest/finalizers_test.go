package rest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// deleting are the members of metadata of an object in deletion that these finalizers hold.
func deleting(finalizers ...string) string {
	return `"deletionTimestamp":"` + nowText + `","deletionGracePeriodSeconds":0,"finalizers":["` + strings.Join(finalizers, `","`) + `"]`
}

// inDeletion is an API with one Widget a that is being deleted and held by example.com/f.
func inDeletion(t *testing.T, finalizers ...string) *rest.API {
	t.Helper()
	api := newWidgets(t)
	must(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":["`+strings.Join(append([]string{"example.com/f"}, finalizers...), `","`)+`"]`))
	must(t, api, "DELETE", widgets+"/a", "")
	return api
}

func TestDeletionHasTwoPhases(t *testing.T) {
	marked := stored{rv: "3", generation: 2, metadata: deleting("example.com/f")}
	gone := stored{rv: "3", generation: 2, metadata: strings.Split(deleting(""), `,"finalizers"`)[0]}
	for _, c := range []struct {
		name   string
		finish func(t *testing.T, api *rest.API) answer
		last   stored
	}{
		{"by merge patch", func(t *testing.T, api *rest.API) answer {
			return merge(t, api, widgets+"/a", `{"metadata":{"finalizers":null}}`)
		}, gone},
		{"by JSON patch", func(t *testing.T, api *rest.API) answer {
			return do(t, api, "PATCH", widgets+"/a", `[{"op":"remove","path":"/metadata/finalizers"}]`, "Content-Type", typeJSONPatch)
		}, gone},
		{"by PUT", func(t *testing.T, api *rest.API) answer {
			return do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"3"`))
		}, gone},
		{"together with another change", func(t *testing.T, api *rest.API) answer {
			return merge(t, api, widgets+"/a", `{"metadata":{"finalizers":null},"spec":{"size":2}}`)
		}, stored{rv: "3", generation: 3, metadata: gone.metadata, spec: sizeTwo}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			must(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":["example.com/f"]`))
			wantJSON(t, do(t, api, "DELETE", widgets+"/a", ""), 200, marked.String())
			wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, marked.String())
			wantJSON(t, c.finish(t, api), 200, c.last.String())
			assert.Equal(t, 404, do(t, api, "GET", widgets+"/a", "").Code)
		})
	}
}

func TestTheLastFinalizerCounts(t *testing.T) {
	api := inDeletion(t, "example.com/g")
	a := merge(t, api, widgets+"/a", `{"metadata":{"finalizers":["example.com/g"]}}`)
	wantJSON(t, a, 200, stored{rv: "4", generation: 2, metadata: deleting("example.com/g")}.String())
	assert.Equal(t, 200, do(t, api, "GET", widgets+"/a", "").Code)
	assert.Equal(t, 200, merge(t, api, widgets+"/a", `{"metadata":{"finalizers":[]}}`).Code)
	assert.Equal(t, 404, do(t, api, "GET", widgets+"/a", "").Code)
}

func TestDryRunOfTheLastFinalizerDeletesNothing(t *testing.T) {
	api := inDeletion(t)
	assert.Equal(t, 200, merge(t, api, widgets+"/a?dryRun=All", `{"metadata":{"finalizers":null}}`).Code)
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{rv: "3", generation: 2, metadata: deleting("example.com/f")}.String())
}

func TestSecondDeleteChangesNothing(t *testing.T) {
	clock := now()
	api := newAPI(t, rest.Options{Now: func() time.Time { return clock }}, widgetResource())
	must(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":["example.com/f"]`))
	first := must(t, api, "DELETE", widgets+"/a", "")
	clock = clock.Add(time.Hour)
	wantJSON(t, do(t, api, "DELETE", widgets+"/a", ""), 200, first.Body)
	t.Run("but another policy counts", func(t *testing.T) {
		a := must(t, api, "DELETE", widgets+"/a?propagationPolicy=Foreground", "")
		wantJSON(t, a, 200, stored{rv: "4", generation: 2, metadata: deleting("example.com/f", "foregroundDeletion")}.String())
		a = must(t, api, "DELETE", widgets+"/a?propagationPolicy=Background", "")
		wantJSON(t, a, 200, stored{rv: "5", generation: 2, metadata: deleting("example.com/f")}.String())
	})
}

func TestUpdateOfAnObjectInDeletion(t *testing.T) {
	changed := stored{rv: "4", generation: 3, metadata: deleting("example.com/f"), spec: sizeTwo}
	for _, c := range []struct {
		name  string
		write func(api *rest.API) answer
		want  stored
	}{
		{"other changes are possible", func(api *rest.API) answer { return merge(t, api, widgets+"/a", `{"spec":{"size":2}}`) }, changed},
		{"a PUT need not repeat the deletion", func(api *rest.API) answer {
			return do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"3","finalizers":["example.com/f"]`, `"spec":{"size":2}`))
		}, changed},
		{"the deletion cannot be taken back", func(api *rest.API) answer {
			return merge(t, api, widgets+"/a", `{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null},"spec":{"size":2}}`)
		}, changed},
		{"labels", func(api *rest.API) answer { return merge(t, api, widgets+"/a", `{"metadata":{"labels":{"x":"y"}}}`) },
			stored{rv: "4", generation: 2, metadata: deleting("example.com/f") + `,"labels":{"x":"y"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantJSON(t, c.write(inDeletion(t)), 200, c.want.String())
		})
	}
	t.Run("its time does not change", func(t *testing.T) {
		a := merge(t, inDeletion(t), widgets+"/a", `{"metadata":{"deletionTimestamp":"2030-01-01T00:00:00Z"}}`)
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, nowText, a.text(t, "metadata.deletionTimestamp"))
	})
	t.Run("no finalizer can be added", func(t *testing.T) {
		for _, finalizers := range []string{`["example.com/f","c/d"]`, `["c/d"]`} {
			wantInvalid(t, merge(t, inDeletion(t), widgets+"/a", `{"metadata":{"finalizers":`+finalizers+`}}`), "Widget.example.com", "a",
				forbidden("metadata.finalizers", `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}`))
		}
	})
	t.Run("the name stays taken", func(t *testing.T) {
		wantFailure(t, do(t, inDeletion(t), "POST", widgets, widgetBody(`"name":"a"`)), 409, "AlreadyExists",
			`object is being deleted: widgets.example.com "a" already exists`, aboutWidget("a"))
	})
	t.Run("the status can be written", func(t *testing.T) {
		a := merge(t, inDeletion(t), widgets+"/a/status", `{"status":{"phase":"Failed"}}`)
		wantJSON(t, a, 200, stored{rv: "4", generation: 2, metadata: deleting("example.com/f"), status: `{"phase":"Failed"}`}.String())
	})
}

func TestFinalizerNames(t *testing.T) {
	for _, c := range []struct {
		name, finalizers, warning string
		causes                    []cause
	}{
		{"qualified", `["example.com/ok"]`, "", nil},
		{"the standard ones", `["foregroundDeletion"]`, "", nil},
		{"without a domain, with a warning", `["bare"]`,
			`299 - "metadata.finalizers: \"bare\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"`, nil},
		{"with a domain and no path", `["example.com"]`,
			`299 - "metadata.finalizers: \"example.com\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"`, nil},
		{"that of namespaces", `["kubernetes"]`, "", nil},
		{"no name", `["bad name/x"]`, "", []cause{invalid("metadata.finalizers",
			`Invalid value: "bad name/x": prefix part `+subdomainText)}},
		{"two policies at once", `["orphan","foregroundDeletion"]`, "", []cause{invalid("metadata.finalizers",
			`Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			a := do(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":`+c.finalizers))
			if len(c.causes) > 0 {
				wantInvalid(t, a, "Widget.example.com", "a", c.causes...)
				return
			}
			require.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, c.warning, a.Header.Get("Warning"))
			assert.Empty(t, merge(t, api, widgets+"/a", `{"spec":{"size":2}}`).Header.Get("Warning"), "only of new ones")
		})
	}
}
