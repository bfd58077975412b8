package write_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// inDeletion is an API with one Widget a that is being deleted and held by example.com/f.
func inDeletion(t *testing.T, finalizers ...string) *rest.API {
	t.Helper()
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a","finalizers":["`+strings.Join(append([]string{"example.com/f"}, finalizers...), `","`)+
			`"]`))
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	return api
}

func TestDeletionHasTwoPhases(t *testing.T) {
	marked := apitest.StoredWidget{RV: "3", Generation: 2, Metadata: apitest.BeingDeleted("example.com/f")}
	gone := apitest.StoredWidget{RV: "3", Generation: 2,
		Metadata: strings.Split(apitest.BeingDeleted(""), `,"finalizers"`)[0]}
	for _, c := range []struct {
		name   string
		finish func(t *testing.T, api *rest.API) apitest.Answer
		last   apitest.StoredWidget
	}{
		{"by merge patch", func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"finalizers":null}}`)
		}, gone},
		{"by JSON patch", func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", `[{"op":"remove","path":"/metadata/finalizers"}]`,
				"Content-Type", apitest.TypeJSONPatch)
		}, gone},
		{"by PUT", func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"3"`))
		}, gone},
		{"together with another change", func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"finalizers":null},"spec":{"size":2}}`)
		}, apitest.StoredWidget{RV: "3", Generation: 3, Metadata: gone.Metadata, Spec: apitest.SpecOfSizeTwo}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`))
			apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 200, marked.String())
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, marked.String())
			apitest.WantJSON(t, c.finish(t, api), 200, c.last.String())
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		})
	}
}

func TestLastFinalizerRemovesTheObject(t *testing.T) {
	api := inDeletion(t, "example.com/g")
	a := apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"finalizers":["example.com/g"]}}`)
	apitest.WantJSON(t, a, 200, apitest.StoredWidget{RV: "4", Generation: 2,
		Metadata: apitest.BeingDeleted("example.com/g")}.String())
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
	assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"finalizers":[]}}`).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
}

func TestDryRunOfTheLastFinalizerDeletesNothing(t *testing.T) {
	api := inDeletion(t)
	assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All",
		`{"metadata":{"finalizers":null}}`).Code)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200,
		apitest.StoredWidget{RV: "3", Generation: 2, Metadata: apitest.BeingDeleted("example.com/f")}.String())
}

func TestSecondDeleteChangesNothing(t *testing.T) {
	clock := apitest.Now()
	api := apitest.New(t, rest.Options{Now: func() time.Time { return clock }}, apitest.WidgetResource())
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`))
	first := apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	clock = clock.Add(time.Hour)
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 200, first.Body)
	t.Run("but another policy counts", func(t *testing.T) {
		a := apitest.Must(t, api, "DELETE", apitest.Widgets+"/a?propagationPolicy=Foreground", "")
		apitest.WantJSON(t, a, 200, apitest.StoredWidget{RV: "4", Generation: 2,
			Metadata: apitest.BeingDeleted("example.com/f", "foregroundDeletion")}.String())
		a = apitest.Must(t, api, "DELETE", apitest.Widgets+"/a?propagationPolicy=Background", "")
		apitest.WantJSON(t, a, 200, apitest.StoredWidget{RV: "5", Generation: 2,
			Metadata: apitest.BeingDeleted("example.com/f")}.String())
	})
}

func TestUpdateOfAnObjectInDeletion(t *testing.T) {
	changed := apitest.StoredWidget{RV: "4", Generation: 3, Metadata: apitest.BeingDeleted("example.com/f"),
		Spec: apitest.SpecOfSizeTwo}
	for _, c := range []struct {
		name  string
		write func(api *rest.API) apitest.Answer
		want  apitest.StoredWidget
	}{
		{"other changes are possible", func(api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
		}, changed},
		{"a PUT need not repeat the deletion", func(api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
				apitest.WidgetBody(`"name":"a","resourceVersion":"3","finalizers":["example.com/f"]`, `"spec":{"size":2}`))
		}, changed},
		{"the deletion cannot be taken back", func(api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, apitest.Widgets+"/a",
				`{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null},"spec":{"size":2}}`)
		}, changed},
		{"labels", func(api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"labels":{"x":"y"}}}`)
		},
			apitest.StoredWidget{RV: "4", Generation: 2,
				Metadata: apitest.BeingDeleted("example.com/f") + `,"labels":{"x":"y"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantJSON(t, c.write(inDeletion(t)), 200, c.want.String())
		})
	}
	t.Run("its time does not change", func(t *testing.T) {
		a := apitest.MergePatch(t, inDeletion(t), apitest.Widgets+"/a",
			`{"metadata":{"deletionTimestamp":"2030-01-01T00:00:00Z"}}`)
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, apitest.NowText, a.Text(t, "metadata.deletionTimestamp"))
	})
	t.Run("no finalizer can be added", func(t *testing.T) {
		for _, finalizers := range []string{`["example.com/f","c/d"]`, `["c/d"]`} {
			apitest.WantInvalid(t, apitest.MergePatch(t, inDeletion(t), apitest.Widgets+"/a",
				`{"metadata":{"finalizers":`+finalizers+`}}`), "Widget.example.com", "a",
				apitest.Forbidden("metadata.finalizers",
					`Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}`))
		}
	})
	t.Run("the name stays taken", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, inDeletion(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)), 409,
			"AlreadyExists", `object is being deleted: widgets.example.com "a" already exists`, apitest.AboutWidget("a"))
	})
	t.Run("the status can be written", func(t *testing.T) {
		a := apitest.MergePatch(t, inDeletion(t), apitest.Widgets+"/a/status", `{"status":{"phase":"Failed"}}`)
		apitest.WantJSON(t, a, 200, apitest.StoredWidget{RV: "4", Generation: 2,
			Metadata: apitest.BeingDeleted("example.com/f"), Status: `{"phase":"Failed"}`}.String())
	})
}

func TestFinalizerNames(t *testing.T) {
	for _, c := range []struct {
		name, finalizers, warning string
		causes                    []apitest.Cause
	}{
		{"qualified", `["example.com/ok"]`, "", nil},
		{"the standard ones", `["foregroundDeletion"]`, "", nil},
		{"without a domain, with a warning", `["bare"]`,
			`299 - "metadata.finalizers: \"bare\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"`, nil},
		{"with a domain and no path", `["example.com"]`,
			`299 - "metadata.finalizers: \"example.com\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"`, nil},
		{"that of namespaces", `["kubernetes"]`, "", nil},
		{"no name", `["bad name/x"]`, "", []apitest.Cause{apitest.Invalid("metadata.finalizers",
			`Invalid value: "bad name/x": prefix part `+apitest.SubdomainText)}},
		{"two policies at once", `["orphan","foregroundDeletion"]`, "", []apitest.Cause{apitest.Invalid("metadata.finalizers",
			`Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":`+c.finalizers))
			if len(c.causes) > 0 {
				apitest.WantInvalid(t, a, "Widget.example.com", "a", c.causes...)
				return
			}
			require.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, c.warning, a.Header.Get("Warning"))
			assert.Empty(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`).Header.Get("Warning"),
				"only of new ones")
		})
	}
}
