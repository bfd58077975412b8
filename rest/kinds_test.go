package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Sum is a call: the sum of numbers.
type Sum struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SumSpec   `json:"spec"`
	Status             SumStatus `json:"status,omitzero"`
}

type SumSpec struct {
	Numbers []int64 `json:"numbers" api:"maxItems=3"`
}

type SumStatus struct {
	Total int64 `json:"total"`
}

const sums = widgetRoot + "/sums"

func sumResource(call func(ctx context.Context, s *Sum) error) rest.Resource[Sum] {
	return rest.Resource[Sum]{Group: "example.com", Version: "v1", Plural: "sums", Scope: rest.ScopeCluster, Hooks: rest.Hooks[Sum]{Call: call}}
}

func sumBody(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Sum","spec":` + spec + `}`
}

func TestVirtualKind(t *testing.T) {
	api := newAPI(t, rest.Options{}, sumResource(func(_ context.Context, s *Sum) error {
		if len(s.Spec.Numbers) == 0 {
			return status.BadRequest("nothing to add")
		}
		for _, n := range s.Spec.Numbers {
			s.Status.Total += n
		}
		return nil
	}))
	wantJSON(t, do(t, api, "POST", sums, `{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"uid":"x"},"spec":{"numbers":[1,2,3]},"status":{"total":77}}`), 201,
		`{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"creationTimestamp":"`+nowText+`"},"spec":{"numbers":[1,2,3]},"status":{"total":6}}`)
	wantFailure(t, do(t, api, "POST", sums, sumBody(`{"numbers":[]}`)), 400, "BadRequest", "nothing to add", "")
	wantInvalid(t, do(t, api, "POST", sums, sumBody(`{"numbers":[1,2,3,4]}`)), "Sum.example.com", "",
		tooMany("spec.numbers", "Too many: 4: must have at most 3 items"))
	for _, c := range []struct{ method, target string }{
		{"GET", sums}, {"GET", sums + "?watch=1"}, {"DELETE", sums}, {"GET", sums + "/a"}, {"PUT", sums + "/a"}, {"PATCH", sums + "/a"}, {"DELETE", sums + "/a"},
	} {
		assert.Equal(t, 405, do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("it has no status of its own to write", func(t *testing.T) {
		assert.Equal(t, 404, do(t, api, "GET", sums+"/a/status", "").Code)
	})
	t.Run("by the client", func(t *testing.T) {
		client := clientFor[Sum](t, api)
		sum, err := client.Create(context.Background(), &Sum{Spec: SumSpec{Numbers: []int64{4, 5}}})
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

func TestVirtualKindThatPanics(t *testing.T) {
	api := newAPI(t, rest.Options{}, sumResource(func(context.Context, *Sum) error { panic("boom") }))
	wantFailure(t, do(t, api, "POST", sums, sumBody(`{"numbers":[1]}`)), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
}

// Settings is a kind with one object.
type Settings struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SettingsSpec   `json:"spec"`
	Status             SettingsStatus `json:"status,omitzero"`
}

type SettingsSpec struct {
	Level string `json:"level" api:"enum=low|high,default=low"`
}

type SettingsStatus struct {
	Applied string `json:"applied,omitempty"`
}

const settings = widgetRoot + "/settings"

func settingsResource() rest.Resource[Settings] {
	return rest.Resource[Settings]{Group: "example.com", Version: "v1", Plural: "settings", Names: rest.Names{Singular: "setting"}, Scope: rest.ScopeCluster, Singleton: "cluster"}
}

func TestSingleton(t *testing.T) {
	api := newAPI(t, rest.Options{}, settingsResource())
	object := func(rv, generation, level, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","uid":"uid-1","resourceVersion":"` + rv + `","generation":` + generation +
			`,"creationTimestamp":"` + nowText + `"},"spec":{"level":"` + level + `"}` + more + `}`
	}
	one := settings + "/cluster"
	wantJSON(t, do(t, api, "GET", one, ""), 200, object("2", "1", "low", ""))
	assert.Equal(t, []string{"cluster"}, do(t, api, "GET", settings, "").names(t))
	wantJSON(t, merge(t, api, one, `{"spec":{"level":"high"}}`), 200, object("3", "2", "high", ""))
	wantJSON(t, do(t, api, "PUT", one, `{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","resourceVersion":"3"},"spec":{}}`), 200, object("4", "3", "low", ""))
	wantJSON(t, merge(t, api, one+"/status", `{"status":{"applied":"low"}}`), 200, object("5", "3", "low", `,"status":{"applied":"low"}`))
	assert.Equal(t, 404, do(t, api, "GET", settings+"/other", "").Code)
	for _, c := range []struct{ method, target string }{{"POST", settings}, {"DELETE", settings}, {"DELETE", one}} {
		assert.Equal(t, 405, do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("by the client", func(t *testing.T) {
		client := clientFor[Settings](t, api)
		got, err := client.Get(context.Background(), "cluster")
		require.NoError(t, err)
		got.Spec.Level = "high"
		_, err = client.Update(context.Background(), got)
		require.NoError(t, err)
		_, err = client.Create(context.Background(), &Settings{ObjectMeta: apimeta.ObjectMeta{Name: "other"}, Spec: SettingsSpec{Level: "low"}})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		err = client.Delete(context.Background(), "cluster", rest.DeleteOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
	})
}

func TestSingletonWhoseDefaultsAreNoObject(t *testing.T) {
	r := widgetResource()
	singleton := rest.Resource[Widget]{Group: r.Group, Version: r.Version, Plural: r.Plural, Scope: rest.ScopeCluster, Singleton: "one"}
	_, err := rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, "Widget")
	require.ErrorContains(t, err, "spec.size: Required value")

	another := status.AlreadyExists(apimeta.GroupResource{Resource: "gadgets"}, "g")
	singleton.Hooks.Default = func(context.Context, *Widget) error { return another }
	_, err = rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, another.Error(), "it is another object that exists already")
}

func TestVerbsThatAResourceDoesNotHave(t *testing.T) {
	t.Run("read-only", func(t *testing.T) {
		api := newWidgets(t, func(r *rest.Resource[Widget]) {
			r.Verbs, r.Scale = []rest.Verb{rest.VerbGet, rest.VerbList, rest.VerbWatch}, nil
		})
		client := widgetClient(t, api)
		_, err := client.Create(context.Background(), &Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: WidgetSpec{Size: new(int32(1))}})
		require.NoError(t, err, "the host writes in process")
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
		assert.Equal(t, []string{"a"}, do(t, api, "GET", widgets, "").names(t))
		for _, c := range []struct{ method, target string }{
			{"POST", widgets}, {"DELETE", widgets}, {"PUT", widgets + "/a"}, {"PATCH", widgets + "/a"}, {"DELETE", widgets + "/a"},
		} {
			wantFailure(t, do(t, api, c.method, c.target, ""), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
		}
		assert.Equal(t, 200, do(t, api, "GET", widgets+"/a/status", "").Code)
		for method, verb := range map[string]string{"PUT": "update", "PATCH": "patch"} {
			wantFailure(t, do(t, api, method, widgets+"/a/status", ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
	})
	t.Run("nothing but create", func(t *testing.T) {
		api := newWidgets(t, func(r *rest.Resource[Widget]) { r.Verbs = []rest.Verb{rest.VerbCreate} })
		create(t, api, "a")
		for _, c := range []struct{ method, target string }{{"GET", widgets}, {"GET", widgets + "?watch=1"}, {"GET", allWidgets}, {"GET", widgets + "/a"}} {
			assert.Equal(t, 405, do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
		}
	})
	t.Run("list without watch", func(t *testing.T) {
		api := newWidgets(t, func(r *rest.Resource[Widget]) { r.Verbs = []rest.Verb{rest.VerbList} })
		assert.Equal(t, 200, do(t, api, "GET", widgets, "").Code)
		assert.Equal(t, 405, do(t, api, "GET", widgets+"?watch=1", "").Code)
	})
}

// Zone is a kind outside of namespaces.
type Zone struct{ Widget }

func TestClusterScope(t *testing.T) {
	api := newAPI(t, rest.Options{}, rest.Resource[Zone]{Group: "example.com", Version: "v1", Plural: "zones", Scope: rest.ScopeCluster})
	const zones = widgetRoot + "/zones"
	body := func(metadata string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{` + metadata + `},"spec":{"size":1}}`
	}
	zone := func(rv, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{"name":"a","uid":"uid-1","generation":1,"creationTimestamp":"` + nowText + `","resourceVersion":"` + rv + `"` + more +
			`},"spec":{"size":1,"color":"red","replicas":1,"template":{"image":"none"}}}`
	}
	wantJSON(t, do(t, api, "POST", zones, body(`"name":"a"`)), 201, zone("2", ""))
	wantJSON(t, do(t, api, "GET", zones+"/a", ""), 200, zone("2", ""))
	wantJSON(t, merge(t, api, zones+"/a", `{"metadata":{"labels":{"x":"y"}}}`), 200, zone("3", `,"labels":{"x":"y"}`))
	wantJSON(t, do(t, api, "GET", zones+"?labelSelector=x&fieldSelector=metadata.name%3Da", ""), 200,
		`{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3"},"items":[`+zone("3", `,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 400, do(t, api, "GET", zones+"?fieldSelector=metadata.namespace%3Ddefault", "").Code, "it has none to select by")
	assert.NotContains(t, must(t, api, "POST", zones+"?dryRun=All", body(`"name":"b","namespace":"default"`)).Body, `"namespace"`, "that of a body is dropped")
	for _, target := range []string{widgetRoot + "/namespaces/default/zones", widgetRoot + "/namespaces/default/zones/a"} {
		assert.Equal(t, 404, do(t, api, "GET", target, "").Code)
	}
	wantJSON(t, do(t, api, "DELETE", zones, ""), 200, `{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3"},"items":[`+zone("3", `,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 404, do(t, api, "GET", zones+"/a", "").Code)
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
		api := newWidgets(t, func(r *rest.Resource[Widget]) { r.Names.Rule = c.rule })
		for _, name := range c.good {
			assert.Equal(t, 201, do(t, api, "POST", widgets, widgetBody(`"name":"`+name+`"`)).Code, name)
		}
		for _, name := range c.bad {
			a := do(t, api, "POST", widgets, widgetBody(`"name":"`+name+`"`))
			assert.Equal(t, 422, a.Code, name)
			assert.Equal(t, "metadata.name", a.text(t, "details.causes.0.field"))
		}
	}
}

// Paint is a subresource that shows and changes a part of a Widget.
type Paint struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PaintSpec `json:"spec"`
}

type PaintSpec struct {
	Color string `json:"color" api:"enum=red|green|blue|pink"`
	Coats int32  `json:"coats,omitempty" api:"default=1"`
}

// Restart is a subresource that does something.
type Restart struct {
	apimeta.TypeMeta `json:",inline"`
	Reason           string `json:"reason,omitempty"`
	Done             bool   `json:"done,omitempty"`
}

func withSubresources(r *rest.Resource[Widget]) {
	r.Subresources = []rest.SubresourceOf[Widget]{
		rest.Subresource[Widget, Paint]{
			Name: "paint",
			Get: func(_ context.Context, w *Widget) (*Paint, error) {
				return &Paint{Spec: PaintSpec{Color: *w.Spec.Color, Coats: int32(len(w.Spec.Steps))}}, nil
			},
			Update: func(_ context.Context, w *Widget, p *Paint) error {
				w.Spec.Color, w.Status.Phase = &p.Spec.Color, "Ready"
				w.Spec.Steps = make([]string, p.Spec.Coats)
				return nil
			},
		},
		rest.Subresource[Widget, Restart]{
			Name: "restart", Group: "actions.example.com", Version: "v2", Kind: "RestartNow",
			Create: func(_ context.Context, w *Widget, r *Restart) (*Restart, error) {
				switch r.Reason {
				case "":
					return nil, nil
				case "never":
					return nil, status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "never")
				case "panic":
					panic("boom")
				}
				return &Restart{Reason: r.Reason + " of " + w.Name, Done: true}, nil
			},
		},
	}
}

const paintOf = `"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + nowText + `","resourceVersion":`

func paint(rv, color, coats string) string {
	return `{"apiVersion":"example.com/v1","kind":"Paint",` + paintOf + `"` + rv + `"},"spec":{"color":"` + color + `"` + coats + `}}`
}

func TestSubresourceThatIsAPart(t *testing.T) {
	target := widgets + "/a/paint"
	put := func(api *rest.API, metadata, spec string) answer {
		return do(t, api, "PUT", target, `{"apiVersion":"example.com/v1","kind":"Paint","metadata":{`+metadata+`},"spec":`+spec+`}`)
	}
	t.Run("get, put, patch", func(t *testing.T) {
		api := newWidgets(t, withSubresources)
		create(t, api, "a")
		wantJSON(t, do(t, api, "GET", target, ""), 200, paint("2", "red", ""))
		wantJSON(t, put(api, `"name":"a"`, `{"color":"blue"}`), 200, paint("3", "blue", `,"coats":1`))
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200,
			stored{rv: "3", generation: 2, spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"},"steps":[""]}`}.String())
		wantJSON(t, merge(t, api, target, `{"spec":{"coats":3}}`), 200, paint("4", "blue", `,"coats":3`))
		patched := do(t, api, "PATCH", target, `[{"op":"replace","path":"/spec/color","value":"green"}]`, "Content-Type", typeJSONPatch)
		wantJSON(t, patched, 200, paint("5", "green", `,"coats":3`))
		wantJSON(t, merge(t, api, target, `{"spec":{"color":"green"}}`), 200, paint("5", "green", `,"coats":3`))
	})
	t.Run("of the version that was seen", func(t *testing.T) {
		api := newWidgets(t, withSubresources)
		create(t, api, "a")
		assert.Equal(t, 409, put(api, `"name":"a","resourceVersion":"1"`, `{"color":"blue"}`).Code)
		assert.Equal(t, 409, merge(t, api, target, `{"metadata":{"resourceVersion":"1"},"spec":{"color":"blue"}}`).Code)
		assert.Equal(t, 200, put(api, `"name":"a","resourceVersion":"2"`, `{"color":"blue"}`).Code)
	})
	t.Run("dry run", func(t *testing.T) {
		api := newWidgets(t, withSubresources)
		create(t, api, "a")
		assert.Equal(t, "blue", merge(t, api, target+"?dryRun=All", `{"spec":{"color":"blue"}}`).text(t, "spec.color"))
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
	})
	t.Run("refuses", func(t *testing.T) {
		api := newWidgets(t, withSubresources)
		create(t, api, "a")
		wantInvalid(t, put(api, `"name":"a"`, `{"color":"black"}`), "Paint.example.com", "a",
			notSupported("spec.color", `Unsupported value: "black": supported values: "red", "green", "blue", "pink"`))
		wantInvalid(t, put(api, `"name":"a"`, `{"color":"pink"}`), "Widget.example.com", "a", // the object has its say too
			notSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`))
		wantFailure(t, put(api, `"name":"b"`, `{"color":"blue"}`), 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)", "")
		wantFailure(t, put(api, `"name":"a","namespace":"x"`, `{"color":"blue"}`), 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request", "")
		wantFailure(t, do(t, api, "PUT", target, widgetBody(`"name":"a"`)+" "), 422, "Invalid", `Widget.example.com "a" is invalid: kind: Invalid value: "Widget": must be Paint`,
			`{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueInvalid","field":"kind","message":"Invalid value: \"Widget\": must be Paint"}]}`)
		assert.Equal(t, 415, do(t, api, "PATCH", target, `{}`).Code)
		assert.Equal(t, 422, do(t, api, "PUT", target+"?dryRun=x", `{}`).Code)
		wantFailure(t, do(t, api, "GET", widgets+"/none/paint", ""), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none"))
		wantFailure(t, merge(t, api, widgets+"/none/paint", `{}`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none"))
		for method, verb := range map[string]string{"POST": "create", "DELETE": "delete"} {
			wantFailure(t, do(t, api, method, target, ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
	})
}

func TestSubresourceThatIsAnAction(t *testing.T) {
	api := newWidgets(t, withSubresources)
	create(t, api, "a")
	target := widgets + "/a/restart"
	post := func(body string) answer {
		return do(t, api, "POST", target, `{"apiVersion":"actions.example.com/v2","kind":"RestartNow"`+body+`}`)
	}
	wantJSON(t, post(`,"reason":"a crash"`), 201, `{"apiVersion":"actions.example.com/v2","kind":"RestartNow","reason":"a crash of a","done":true}`)
	wantJSON(t, post(""), 201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
	wantFailure(t, post(`,"reason":"never"`), 403, "Forbidden", `widgets.example.com "a" is forbidden: never`, aboutWidget("a"))
	wantFailure(t, post(`,"reason":"panic"`), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
	wantFailure(t, do(t, api, "POST", target+"?dryRun=All", "{}"), 400, "BadRequest", "dryRun is not supported", "")
	wantFailure(t, do(t, api, "POST", target, `{"apiVersion":"example.com/v1","kind":"RestartNow"}`), 400, "BadRequest",
		"the API version in the data (example.com/v1) does not match the expected API version (actions.example.com/v2)", "")
	wantFailure(t, do(t, api, "POST", widgets+"/none/restart", `{"apiVersion":"actions.example.com/v2","kind":"RestartNow"}`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none"))
	warned := post(`,"bogus":1`)
	assert.Equal(t, `299 - "unknown field \"bogus\""`, warned.Header.Get("Warning"))
	for method, verb := range map[string]string{"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"} {
		wantFailure(t, do(t, api, method, target, ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
	}
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

// Memo is a kind in the built-in dialect, like a ConfigMap.
type Memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Locked             *bool             `json:"locked,omitempty"`
	Data               map[string]string `json:"data,omitempty"`
}

const memos = "/api/v1/namespaces/default/memos"

// A boolean that an object does not have is false, as clients ask for nodes: spec.unschedulable=false.
func TestAbsentSelectableFields(t *testing.T) {
	for dialect, want := range map[rest.Dialect][]string{rest.DialectBuiltin: {"open", "unlocked"}, rest.DialectCustom: {"unlocked"}} {
		api := newAPI(t, rest.Options{}, rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: dialect}, SelectableFields: []string{"locked"}})
		for name, locked := range map[string]string{"open": "", "unlocked": `,"locked":false`, "shut": `,"locked":true`} {
			must(t, api, "POST", memos, `{"apiVersion":"v1","kind":"Memo","metadata":{"name":"`+name+`"}`+locked+`}`)
		}
		assert.Equal(t, want, list(t, api, memos, "fieldSelector", "locked=false").names(t))
		assert.Equal(t, []string{"shut"}, list(t, api, memos, "fieldSelector", "locked!=false,locked!=").names(t))
	}
}

func newMemos(t *testing.T) *rest.API {
	t.Helper()
	return newAPI(t, rest.Options{NoSelfReviews: true}, rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
}

func memo(rv, more string) string {
	return `{"kind":"Memo","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + nowText + `","resourceVersion":"` + rv + `"}` + more + `}`
}

func TestBuiltinDialect(t *testing.T) {
	aboutMemo := `{"name":"a","kind":"memos"}`
	t.Run("kind and apiVersion may be left out", func(t *testing.T) {
		wantJSON(t, do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a"},"data":{"k":"v"}}`), 201, memo("2", `,"data":{"k":"v"}`))
	})
	t.Run("nothing at all is an object without a name", func(t *testing.T) {
		for contentType, bodies := range map[string][]string{"application/json": {"null"}, typeYAML: {"", "null", "# nothing"}} {
			for _, body := range bodies {
				wantFailure(t, do(t, newMemos(t), "POST", memos, body, "Content-Type", contentType), 422, "Invalid",
					`Memo "" is invalid: metadata.name: Required value: name or generateName is required`,
					`{"kind":"Memo","causes":[{"field":"metadata.name","message":"Required value: name or generateName is required","reason":"FieldValueRequired"}]}`)
			}
		}
		wantFailure(t, do(t, newWidgets(t), "POST", widgets, "", "Content-Type", typeYAML), 400, "BadRequest",
			"the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '' (<empty>)", "")
	})
	t.Run("what is empty goes", func(t *testing.T) {
		wantJSON(t, do(t, newMemos(t), "POST", memos, `{"kind":"Memo","apiVersion":"v1","metadata":{"name":"a","labels":{},"finalizers":[]},"data":{},"locked":null}`), 201, memo("2", ""))
	})
	t.Run("a wrong type is a bad request", func(t *testing.T) {
		for _, c := range []struct{ body, message string }{
			{`{"metadata":{"name":"a"},"data":{"k":1}}`, "json: cannot unmarshal number into Go struct field Memo.data"},
			{`{"metadata":{"name":"a"},"data":["k"]}`, "json: cannot unmarshal array into Go struct field Memo.data of type map[string]string"},
			{`{"metadata":{"name":"a"},"locked":"yes"}`, "json: cannot unmarshal string into Go struct field Memo.locked of type bool"},
		} {
			a := do(t, newMemos(t), "POST", memos, c.body)
			assert.Equal(t, 400, a.Code)
			assert.Equal(t, "BadRequest", a.text(t, "reason"))
			assert.Contains(t, a.text(t, "message"), `Memo in version "v1" cannot be handled as a Memo: `+c.message)
		}
	})
	t.Run("PUT needs no version, and no generation is kept", func(t *testing.T) {
		api := newMemos(t)
		must(t, api, "POST", memos, `{"metadata":{"name":"a"}}`)
		wantJSON(t, do(t, api, "PUT", memos+"/a", `{"metadata":{"name":"a"},"data":{"k":"v"}}`), 200, memo("3", `,"data":{"k":"v"}`))
		wantFailure(t, do(t, api, "PUT", memos+"/a", `{"metadata":{"name":"a","resourceVersion":"2"}}`), 409, "Conflict",
			`Operation cannot be fulfilled on memos "a": the object has been modified; please apply your changes to the latest version and try again`, aboutMemo)
	})
	t.Run("a finalizer needs a domain", func(t *testing.T) {
		wantInvalid(t, do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a","finalizers":["bare"]}}`), "Memo", "a",
			invalid("metadata.finalizers[0]", `Invalid value: "bare": name is neither a standard finalizer name nor is it fully qualified`))
	})
	t.Run("the items of a list leave out their kind", func(t *testing.T) {
		api := newMemos(t)
		must(t, api, "POST", memos, `{"metadata":{"name":"a"}}`)
		wantJSON(t, do(t, api, "GET", memos, ""), 200, `{"kind":"MemoList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[
			{"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"`+nowText+`","resourceVersion":"2"}}]}`)
	})
	t.Run("fields that cannot be selected", func(t *testing.T) {
		wantFailure(t, do(t, newMemos(t), "GET", memos+"?fieldSelector=data.k%3Dv", ""), 400, "BadRequest",
			`"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"`, "")
	})
	t.Run("a subresource that there is not", func(t *testing.T) {
		api := newMemos(t)
		must(t, api, "POST", memos, `{"metadata":{"name":"a"}}`)
		wantFailure(t, do(t, api, "GET", memos+"/a/status", ""), 404, "NotFound", "the server could not find the requested resource", "{}")
	})
}

// Namespace is the kind of the core group.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Finalizers []string `json:"finalizers,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

func TestNamespaces(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := newAPI(t, rest.Options{}, widgetResource(), rest.NamespacesOf[Namespace]())
	namespace := func(metadata, phase, finalizers string) string {
		return `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"team","uid":"uid-2","creationTimestamp":"` + nowText + `","labels":{"kubernetes.io/metadata.name":"team"}` + metadata +
			`},"spec":{` + finalizers + `},"status":{"phase":"` + phase + `"}}`
	}
	const held = `"finalizers":["kubernetes"]`
	assert.Equal(t, []string{"default"}, do(t, api, "GET", namespaces, "").names(t), "this one is always there")
	wantFailure(t, do(t, api, "POST", widgetRoot+"/namespaces/team/widgets", widgetBody(`"name":"a"`)), 404, "NotFound", `namespaces "team" not found`, `{"name":"team","kind":"namespaces"}`)
	wantJSON(t, do(t, api, "POST", namespaces, `{"metadata":{"name":"team"}}`), 201, namespace(`,"resourceVersion":"3"`, "Active", held))
	must(t, api, "POST", widgetRoot+"/namespaces/team/widgets", widgetBody(`"name":"a"`))

	const deletion = `,"deletionTimestamp":"` + nowText + `"`
	wantJSON(t, do(t, api, "DELETE", namespaces+"/team", ""), 200, namespace(`,"resourceVersion":"5"`+deletion, "Terminating", held))
	wantFailure(t, do(t, api, "POST", widgetRoot+"/namespaces/team/widgets", widgetBody(`"name":"b"`)), 403, "Forbidden",
		`widgets.example.com "b" is forbidden: unable to create new content in namespace team because it is being terminated`,
		`{"name":"b","group":"example.com","kind":"widgets","causes":[{"reason":"NamespaceTerminating","message":"namespace team is being terminated","field":"metadata.namespace"}]}`)
	assert.Equal(t, 200, merge(t, api, widgetRoot+"/namespaces/team/widgets/a", `{"spec":{"size":2}}`).Code, "what is there can be changed and deleted")
	assert.Equal(t, 200, do(t, api, "DELETE", widgetRoot+"/namespaces/team/widgets/a", "").Code)
	assert.Equal(t, 200, merge(t, api, namespaces+"/team", `{"spec":{"finalizers":null}}`).Code)
	assert.Equal(t, 200, do(t, api, "GET", namespaces+"/team", "").Code, "only finalize lets go of a namespace")
	assert.Equal(t, 200, do(t, api, "PUT", namespaces+"/team/finalize", `{"metadata":{"name":"team"},"spec":{}}`).Code)
	assert.Equal(t, 404, do(t, api, "GET", namespaces+"/team", "").Code)

	wantFailure(t, do(t, api, "DELETE", namespaces+"/default", ""), 403, "Forbidden", `namespaces "default" is forbidden: this namespace may not be deleted`, `{"name":"default","kind":"namespaces"}`)
	wantFailure(t, do(t, api, "DELETE", namespaces, ""), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
	assert.Equal(t, 422, do(t, api, "POST", namespaces, `{"metadata":{"name":"a.b"}}`).Code, "a name is a DNS label")
	assert.Equal(t, []string{}, do(t, api, "GET", widgetRoot+"/namespaces/none/widgets", "").names(t), "reading asks for no namespace")
}

func TestCreateOnUpdate(t *testing.T) {
	api := newWidgets(t, func(r *rest.Resource[Widget]) { r.Wire.CreateOnUpdate = true })
	wantJSON(t, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a"`)), 201, stored{}.String())
	wantJSON(t, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)), 200, stored{rv: "3", generation: 2, spec: sizeTwo}.String())
	assert.Equal(t, 422, do(t, api, "PUT", widgets+"/b", widgetBody(`"name":"b"`, `"spec":{"size":0}`)).Code)
	wantFailure(t, do(t, api, "PUT", widgets+"/none", widgetBody(`"name":"none","uid":"zz"`)), 409, "Conflict",
		`Operation cannot be fulfilled on widgets.example.com "none": StorageError: invalid object, Code: 4, Key: /registry/example.com/widgets/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: `, aboutWidget("none"))
	assert.Equal(t, 404, merge(t, api, widgets+"/b", `{"spec":{"size":1}}`).Code, "a patch creates nothing")
	assert.Equal(t, 404, do(t, api, "PUT", widgets+"/b/status", widgetBody(`"name":"b"`)).Code, "neither does a subresource")
	assert.Equal(t, 404, do(t, api, "GET", widgets+"/b", "").Code)
}

func TestStrategicMerge(t *testing.T) {
	api := newMemos(t)
	must(t, api, "POST", memos, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"data":{"k":"v","l":"w"}}`)
	a := do(t, api, "PATCH", memos+"/a", `{"metadata":{"finalizers":["example.com/g"]},"data":{"l":null,"m":"n"}}`, "Content-Type", string(rest.StrategicPatch))
	wantJSON(t, a, 200, strings.Replace(memo("3", `,"data":{"k":"v","m":"n"}`), `"name":"a"`, `"name":"a","finalizers":["example.com/g","example.com/f"]`, 1))
	a = do(t, api, "PATCH", memos+"/a", `{"data":{"$patch":"replace","x":"y"}}`, "Content-Type", string(rest.StrategicPatch))
	assert.Equal(t, map[string]any{"x": "y"}, a.value(t, "data"))
}
