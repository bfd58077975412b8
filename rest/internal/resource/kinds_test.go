package resource_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestVirtualKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SumResource(func(_ context.Context, s *apitest.Sum) error {
		if len(s.Spec.Numbers) == 0 {
			return status.BadRequest("nothing to add")
		}
		for _, n := range s.Spec.Numbers {
			s.Status.Total += n
		}
		return nil
	}))
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Sums, `{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"uid":"x"},"spec":{"numbers":[1,2,3]},"status":{"total":77}}`), 201,
		`{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"creationTimestamp":"`+apitest.NowText+`"},"spec":{"numbers":[1,2,3]},"status":{"total":6}}`)
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[]}`)), 400, "BadRequest", "nothing to add", "")
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[1,2,3,4]}`)), "Sum.example.com", "",
		apitest.TooMany("spec.numbers", "Too many: 4: must have at most 3 items"))
	for _, c := range []struct{ method, target string }{
		{"GET", apitest.Sums}, {"GET", apitest.Sums + "?watch=1"}, {"DELETE", apitest.Sums}, {"GET", apitest.Sums + "/a"}, {"PUT", apitest.Sums + "/a"}, {"PATCH", apitest.Sums + "/a"}, {"DELETE", apitest.Sums + "/a"},
	} {
		assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("it has no status of its own to write", func(t *testing.T) {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Sums+"/a/status", "").Code)
	})
	t.Run("by the client", func(t *testing.T) {
		client := apitest.ClientFor[apitest.Sum](t, api)
		sum, err := client.Create(context.Background(), &apitest.Sum{Spec: apitest.SumSpec{Numbers: []int64{4, 5}}})
		require.NoError(t, err)
		assert.Equal(t, int64(9), sum.Status.Total)
		_, err = client.Get(context.Background(), "a")
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		_, err = client.List(context.Background(), rest.ListOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		_, err = client.Update(context.Background(), sum)
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		err = client.Delete(context.Background(), "a", rest.DeleteOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		for _, err := range client.Watch(context.Background(), rest.WatchOptions{}) {
			assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		}
	})
}

func TestPanickingVirtualKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SumResource(func(context.Context, *apitest.Sum) error { panic("boom") }))
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[1]}`)), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
}

func TestSingleton(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SettingsResource())
	object := func(rv, generation, level, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","uid":"uid-1","resourceVersion":"` + rv + `","generation":` + generation +
			`,"creationTimestamp":"` + apitest.NowText + `"},"spec":{"level":"` + level + `"}` + more + `}`
	}
	one := apitest.SettingsPath + "/cluster"
	apitest.WantJSON(t, apitest.Do(t, api, "GET", one, ""), 200, object("2", "1", "low", ""))
	assert.Equal(t, []string{"cluster"}, apitest.Do(t, api, "GET", apitest.SettingsPath, "").Names(t))
	apitest.WantJSON(t, apitest.MergePatch(t, api, one, `{"spec":{"level":"high"}}`), 200, object("3", "2", "high", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", one, `{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","resourceVersion":"3"},"spec":{}}`), 200, object("4", "3", "low", ""))
	apitest.WantJSON(t, apitest.MergePatch(t, api, one+"/status", `{"status":{"applied":"low"}}`), 200, object("5", "3", "low", `,"status":{"applied":"low"}`))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.SettingsPath+"/other", "").Code)
	for _, c := range []struct{ method, target string }{{"POST", apitest.SettingsPath}, {"DELETE", apitest.SettingsPath}, {"DELETE", one}} {
		assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("by the client", func(t *testing.T) {
		client := apitest.ClientFor[apitest.Settings](t, api)
		got, err := client.Get(context.Background(), "cluster")
		require.NoError(t, err)
		got.Spec.Level = "high"
		_, err = client.Update(context.Background(), got)
		require.NoError(t, err)
		_, err = client.Create(context.Background(), &apitest.Settings{ObjectMeta: apimeta.ObjectMeta{Name: "other"}, Spec: apitest.SettingsSpec{Level: "low"}})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		err = client.Delete(context.Background(), "cluster", rest.DeleteOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
	})
}

func TestSingletonNeedsValidDefaults(t *testing.T) {
	r := apitest.WidgetResource()
	singleton := rest.Resource[apitest.Widget]{Group: r.Group, Version: r.Version, Plural: r.Plural, Scope: rest.ScopeCluster, Singleton: "one"}
	_, err := rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, "Widget")
	require.ErrorContains(t, err, "spec.size: Required value")

	another := status.AlreadyExists(apimeta.GroupResource{Resource: "gadgets"}, "g")
	singleton.Hooks.Default = func(context.Context, *apitest.Widget) error { return another }
	_, err = rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, another.Error(), "it is another object that exists already")
}

func TestDisabledVerbs(t *testing.T) {
	t.Run("read-only", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
			r.Verbs, r.Scale = []rest.Verb{rest.VerbGet, rest.VerbList, rest.VerbWatch}, nil
		})
		client := apitest.WidgetClient(t, api)
		_, err := client.Create(context.Background(), &apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
		require.NoError(t, err, "the host writes in process")
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
		assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		for _, c := range []struct{ method, target string }{
			{"POST", apitest.Widgets}, {"DELETE", apitest.Widgets}, {"PUT", apitest.Widgets + "/a"}, {"PATCH", apitest.Widgets + "/a"}, {"DELETE", apitest.Widgets + "/a"},
		} {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
		}
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a/status", "").Code)
		for method, verb := range map[string]string{"PUT": "update", "PATCH": "patch"} {
			apitest.WantFailure(t, apitest.Do(t, api, method, apitest.Widgets+"/a/status", ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
	})
	t.Run("nothing but create", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Verbs = []rest.Verb{rest.VerbCreate} })
		apitest.CreateWidget(t, api, "a")
		for _, c := range []struct{ method, target string }{{"GET", apitest.Widgets}, {"GET", apitest.Widgets + "?watch=1"}, {"GET", apitest.AllWidgets}, {"GET", apitest.Widgets + "/a"}} {
			assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
		}
	})
	t.Run("list without watch", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Verbs = []rest.Verb{rest.VerbList} })
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "").Code)
		assert.Equal(t, 405, apitest.Do(t, api, "GET", apitest.Widgets+"?watch=1", "").Code)
	})
}

func TestClusterScope(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Zone]{Group: "example.com", Version: "v1", Plural: "zones", Scope: rest.ScopeCluster})
	const zones = apitest.ExampleV1 + "/zones"
	body := func(metadata string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{` + metadata + `},"spec":{"size":1}}`
	}
	zone := func(rv, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{"name":"a","uid":"uid-1","generation":1,"creationTimestamp":"` + apitest.NowText + `","resourceVersion":"` + rv + `"` + more +
			`},"spec":{"size":1,"color":"red","replicas":1,"template":{"image":"none"}}}`
	}
	apitest.WantJSON(t, apitest.Do(t, api, "POST", zones, body(`"name":"a"`)), 201, zone("2", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", zones+"/a", ""), 200, zone("2", ""))
	apitest.WantJSON(t, apitest.MergePatch(t, api, zones+"/a", `{"metadata":{"labels":{"x":"y"}}}`), 200, zone("3", `,"labels":{"x":"y"}`))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", zones+"?labelSelector=x&fieldSelector=metadata.name%3Da", ""), 200,
		`{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3"},"items":[`+zone("3", `,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 400, apitest.Do(t, api, "GET", zones+"?fieldSelector=metadata.namespace%3Ddefault", "").Code, "it has none to select by")
	assert.NotContains(t, apitest.Must(t, api, "POST", zones+"?dryRun=All", body(`"name":"b","namespace":"default"`)).Body, `"namespace"`, "that of a body is dropped")
	for _, target := range []string{apitest.ExampleV1 + "/namespaces/default/zones", apitest.ExampleV1 + "/namespaces/default/zones/a"} {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", target, "").Code)
	}
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", zones, ""), 200, `{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3"},"items":[`+zone("3", `,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", zones+"/a", "").Code)
}

func TestNameRules(t *testing.T) {
	for _, c := range []struct {
		rule      rest.NameRule
		good, bad []string
	}{
		{rest.NameDNSSubdomain, []string{"a", "a.b-c", "1"}, []string{"A", "a_b", "-a", "a..b", "a:b"}},
		{rest.NameDNSLabel, []string{"a", "1-a"}, []string{"a.b", "A"}},
		{rest.NameDNS1035Label, []string{"a", "a-1"}, []string{"1-a", "a.b"}},
		{rest.NamePathSegment, []string{"A_b:C", "system:node~1", "ü"}, []string{"..", "a/b", "a%62"}},
	} {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Names.Rule = c.rule })
		for _, name := range c.good {
			assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`)).Code, name)
		}
		for _, name := range c.bad {
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`))
			assert.Equal(t, 422, a.Code, name)
			assert.Equal(t, "metadata.name", a.Text(t, "details.causes.0.field"))
		}
	}
}

const paintOf = `"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + apitest.NowText + `","resourceVersion":`

func paint(rv, color, coats string) string {
	return `{"apiVersion":"example.com/v1","kind":"Paint",` + paintOf + `"` + rv + `"},"spec":{"color":"` + color + `"` + coats + `}}`
}

func TestSubresourceShowsAPart(t *testing.T) {
	target := apitest.Widgets + "/a/paint"
	put := func(api *rest.API, metadata, spec string) apitest.Answer {
		return apitest.Do(t, api, "PUT", target, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{`+metadata+`},"spec":`+spec+`}`)
	}
	t.Run("get, put, patch", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		apitest.WantJSON(t, apitest.Do(t, api, "GET", target, ""), 200, paint("2", "red", ""))
		apitest.WantJSON(t, put(api, `"name":"a"`, `{"color":"blue"}`), 200, paint("3", "blue", `,"coats":1`))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"},"steps":[""]}`}.String())
		apitest.WantJSON(t, apitest.MergePatch(t, api, target, `{"spec":{"coats":3}}`), 200, paint("4", "blue", `,"coats":3`))
		patched := apitest.Do(t, api, "PATCH", target, `[{"op":"replace","path":"/spec/color","value":"green"}]`, "Content-Type", apitest.TypeJSONPatch)
		apitest.WantJSON(t, patched, 200, paint("5", "green", `,"coats":3`))
		apitest.WantJSON(t, apitest.MergePatch(t, api, target, `{"spec":{"color":"green"}}`), 200, paint("5", "green", `,"coats":3`))
	})
	t.Run("of the version that was seen", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, 409, put(api, `"name":"a","resourceVersion":"1"`, `{"color":"blue"}`).Code)
		assert.Equal(t, 409, apitest.MergePatch(t, api, target, `{"metadata":{"resourceVersion":"1"},"spec":{"color":"blue"}}`).Code)
		assert.Equal(t, 200, put(api, `"name":"a","resourceVersion":"2"`, `{"color":"blue"}`).Code)
	})
	t.Run("dry run", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, "blue", apitest.MergePatch(t, api, target+"?dryRun=All", `{"spec":{"color":"blue"}}`).Text(t, "spec.color"))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	})
	t.Run("refuses", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		apitest.WantInvalid(t, put(api, `"name":"a"`, `{"color":"black"}`), "Paint.example.com", "a",
			apitest.NotSupported("spec.color", `Unsupported value: "black": supported values: "red", "green", "blue", "pink"`))
		apitest.WantInvalid(t, put(api, `"name":"a"`, `{"color":"pink"}`), "Widget.example.com", "a", // the object has its say too
			apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`))
		apitest.WantFailure(t, put(api, `"name":"b"`, `{"color":"blue"}`), 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)", "")
		apitest.WantFailure(t, put(api, `"name":"a","namespace":"x"`, `{"color":"blue"}`), 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request", "")
		apitest.WantFailure(t, apitest.Do(t, api, "PUT", target, apitest.WidgetBody(`"name":"a"`)+" "), 422, "Invalid", `Widget.example.com "a" is invalid: kind: Invalid value: "Widget": must be Paint`,
			`{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueInvalid","field":"kind","message":"Invalid value: \"Widget\": must be Paint"}]}`)
		assert.Equal(t, 415, apitest.Do(t, api, "PATCH", target, `{}`).Code)
		assert.Equal(t, 422, apitest.Do(t, api, "PUT", target+"?dryRun=x", `{}`).Code)
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets+"/none/paint", ""), 404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		apitest.WantFailure(t, apitest.MergePatch(t, api, apitest.Widgets+"/none/paint", `{}`), 404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		for method, verb := range map[string]string{"POST": "create", "DELETE": "delete"} {
			apitest.WantFailure(t, apitest.Do(t, api, method, target, ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	})
}

func TestSubresourceIsAnAction(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithSubresources)
	apitest.CreateWidget(t, api, "a")
	target := apitest.Widgets + "/a/restart"
	post := func(body string) apitest.Answer {
		return apitest.Do(t, api, "POST", target, `{"apiVersion":"actions.example.com/v2","kind":"RestartNow"`+body+`}`)
	}
	apitest.WantJSON(t, post(`,"reason":"a crash"`), 201, `{"apiVersion":"actions.example.com/v2","kind":"RestartNow","reason":"a crash of a","done":true}`)
	apitest.WantJSON(t, post(""), 201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
	apitest.WantFailure(t, post(`,"reason":"never"`), 403, "Forbidden", `widgets.example.com "a" is forbidden: never`, apitest.AboutWidget("a"))
	apitest.WantFailure(t, post(`,"reason":"panic"`), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", target+"?dryRun=All", "{}"), 400, "BadRequest", "dryRun is not supported", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", target, `{"apiVersion":"example.com/v1","kind":"RestartNow"}`), 400, "BadRequest",
		"the API version in the data (example.com/v1) does not match the expected API version (actions.example.com/v2)", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets+"/none/restart", `{"apiVersion":"actions.example.com/v2","kind":"RestartNow"}`), 404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
	warned := post(`,"bogus":1`)
	assert.Equal(t, `299 - "unknown field \"bogus\""`, warned.Header.Get("Warning"))
	for method, verb := range map[string]string{"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"} {
		apitest.WantFailure(t, apitest.Do(t, api, method, target, ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
	}
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

// A boolean that an object does not have is false, as clients ask for nodes: spec.unschedulable=false.
func TestAbsentSelectableFields(t *testing.T) {
	for dialect, want := range map[rest.Dialect][]string{rest.DialectBuiltin: {"open", "unlocked"}, rest.DialectCustom: {"unlocked"}} {
		api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: dialect}, SelectableFields: []string{"locked"}})
		for name, locked := range map[string]string{"open": "", "unlocked": `,"locked":false`, "shut": `,"locked":true`} {
			apitest.Must(t, api, "POST", apitest.Memos, `{"apiVersion":"v1","kind":"Memo","metadata":{"name":"`+name+`"}`+locked+`}`)
		}
		assert.Equal(t, want, apitest.List(t, api, apitest.Memos, "fieldSelector", "locked=false").Names(t))
		assert.Equal(t, []string{"shut"}, apitest.List(t, api, apitest.Memos, "fieldSelector", "locked!=false,locked!=").Names(t))
	}
}

func TestBuiltinDialect(t *testing.T) {
	aboutMemo := `{"name":"a","kind":"memos"}`
	t.Run("kind and apiVersion may be left out", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a"},"data":{"k":"v"}}`), 201, apitest.StoredMemo("2", `,"data":{"k":"v"}`))
	})
	t.Run("nothing at all is an object without a name", func(t *testing.T) {
		for contentType, bodies := range map[string][]string{"application/json": {"null"}, apitest.TypeYAML: {"", "null", "# nothing"}} {
			for _, body := range bodies {
				apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, body, "Content-Type", contentType), 422, "Invalid",
					`Memo "" is invalid: metadata.name: Required value: name or generateName is required`,
					`{"kind":"Memo","causes":[{"field":"metadata.name","message":"Required value: name or generateName is required","reason":"FieldValueRequired"}]}`)
			}
		}
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, "", "Content-Type", apitest.TypeYAML), 400, "BadRequest",
			"the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '' (<empty>)", "")
	})
	t.Run("empty fields are dropped", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"kind":"Memo","apiVersion":"v1","metadata":{"name":"a","labels":{},"finalizers":[]},"data":{},"locked":null}`), 201, apitest.StoredMemo("2", ""))
	})
	t.Run("a wrong type is a bad request", func(t *testing.T) {
		for _, c := range []struct{ body, message string }{
			{`{"metadata":{"name":"a"},"data":{"k":1}}`, "json: cannot unmarshal number into Go struct field Memo.data"},
			{`{"metadata":{"name":"a"},"data":["k"]}`, "json: cannot unmarshal array into Go struct field Memo.data of type map[string]string"},
			{`{"metadata":{"name":"a"},"locked":"yes"}`, "json: cannot unmarshal string into Go struct field Memo.locked of type bool"},
		} {
			a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, c.body)
			assert.Equal(t, 400, a.Code)
			assert.Equal(t, "BadRequest", a.Text(t, "reason"))
			assert.Contains(t, a.Text(t, "message"), `Memo in version "v1" cannot be handled as a Memo: `+c.message)
		}
	})
	t.Run("PUT needs no version, and no generation is kept", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a"},"data":{"k":"v"}}`), 200, apitest.StoredMemo("3", `,"data":{"k":"v"}`))
		apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a","resourceVersion":"2"}}`), 409, "Conflict",
			`Operation cannot be fulfilled on memos "a": the object has been modified; please apply your changes to the latest version and try again`, aboutMemo)
	})
	t.Run("a finalizer needs a domain", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","finalizers":["bare"]}}`), "Memo", "a",
			apitest.Invalid("metadata.finalizers[0]", `Invalid value: "bare": name is neither a standard finalizer name nor is it fully qualified`))
	})
	t.Run("the items of a list leave out their kind", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Memos, ""), 200, `{"kind":"MemoList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[
			{"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"`+apitest.NowText+`","resourceVersion":"2"}}]}`)
	})
	t.Run("fields that cannot be selected", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "GET", apitest.Memos+"?fieldSelector=data.k%3Dv", ""), 400, "BadRequest",
			`"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"`, "")
	})
	t.Run("an absent subresource", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Memos+"/a/status", ""), 404, "NotFound", "the server could not find the requested resource", "{}")
	})
}

func TestNamespaces(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	namespace := func(metadata, phase, finalizers string) string {
		return `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"team","uid":"uid-2","creationTimestamp":"` + apitest.NowText + `","labels":{"kubernetes.io/metadata.name":"team"}` + metadata +
			`},"spec":{` + finalizers + `},"status":{"phase":"` + phase + `"}}`
	}
	const held = `"finalizers":["kubernetes"]`
	assert.Equal(t, []string{"default"}, apitest.Do(t, api, "GET", namespaces, "").Names(t), "this one is always there")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"name":"a"`)), 404, "NotFound", `namespaces "team" not found`, `{"name":"team","kind":"namespaces"}`)
	apitest.WantJSON(t, apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"team"}}`), 201, namespace(`,"resourceVersion":"3"`, "Active", held))
	apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"name":"a"`))

	const deletion = `,"deletionTimestamp":"` + apitest.NowText + `"`
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", namespaces+"/team", ""), 200, namespace(`,"resourceVersion":"5"`+deletion, "Terminating", held))
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"name":"b"`)), 403, "Forbidden",
		`widgets.example.com "b" is forbidden: unable to create new content in namespace team because it is being terminated`,
		`{"name":"b","group":"example.com","kind":"widgets","causes":[{"reason":"NamespaceTerminating","message":"namespace team is being terminated","field":"metadata.namespace"}]}`)
	assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.ExampleV1+"/namespaces/team/widgets/a", `{"spec":{"size":2}}`).Code, "what is there can be changed and deleted")
	assert.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.ExampleV1+"/namespaces/team/widgets/a", "").Code)
	assert.Equal(t, 200, apitest.MergePatch(t, api, namespaces+"/team", `{"spec":{"finalizers":null}}`).Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", namespaces+"/team", "").Code, "only finalize lets go of a namespace")
	assert.Equal(t, 200, apitest.Do(t, api, "PUT", namespaces+"/team/finalize", `{"metadata":{"name":"team"},"spec":{}}`).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", namespaces+"/team", "").Code)

	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces+"/default", ""), 403, "Forbidden", `namespaces "default" is forbidden: this namespace may not be deleted`, `{"name":"default","kind":"namespaces"}`)
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces, ""), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
	assert.Equal(t, 422, apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"a.b"}}`).Code, "a name is a DNS label")
	assert.Equal(t, []string{}, apitest.Do(t, api, "GET", apitest.ExampleV1+"/namespaces/none/widgets", "").Names(t), "reading asks for no namespace")
}

func TestCreateOnUpdate(t *testing.T) {
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Wire.CreateOnUpdate = true })
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a"`)), 201, apitest.StoredWidget{}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)), 200, apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}.String())
	assert.Equal(t, 422, apitest.Do(t, api, "PUT", apitest.Widgets+"/b", apitest.WidgetBody(`"name":"b"`, `"spec":{"size":0}`)).Code)
	apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/none", apitest.WidgetBody(`"name":"none","uid":"zz"`)), 409, "Conflict",
		`Operation cannot be fulfilled on widgets.example.com "none": StorageError: invalid object, Code: 4, Key: /registry/example.com/widgets/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: `, apitest.AboutWidget("none"))
	assert.Equal(t, 404, apitest.MergePatch(t, api, apitest.Widgets+"/b", `{"spec":{"size":1}}`).Code, "a patch creates nothing")
	assert.Equal(t, 404, apitest.Do(t, api, "PUT", apitest.Widgets+"/b/status", apitest.WidgetBody(`"name":"b"`)).Code, "neither does a subresource")
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/b", "").Code)
}

func TestStrategicMerge(t *testing.T) {
	api := apitest.NewMemos(t)
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"data":{"k":"v","l":"w"}}`)
	a := apitest.Do(t, api, "PATCH", apitest.Memos+"/a", `{"metadata":{"finalizers":["example.com/g"]},"data":{"l":null,"m":"n"}}`, "Content-Type", string(rest.StrategicPatch))
	apitest.WantJSON(t, a, 200, strings.Replace(apitest.StoredMemo("3", `,"data":{"k":"v","m":"n"}`), `"name":"a"`, `"name":"a","finalizers":["example.com/g","example.com/f"]`, 1))
	a = apitest.Do(t, api, "PATCH", apitest.Memos+"/a", `{"data":{"$patch":"replace","x":"y"}}`, "Content-Type", string(rest.StrategicPatch))
	assert.Equal(t, map[string]any{"x": "y"}, a.Value(t, "data"))
}
