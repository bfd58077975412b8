package write_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Each of these functions returns a cause of a 422, by its reason.

func TestCreateAnswersTheStoredObject(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"defaults are filled in", apitest.WidgetBody(`"name":"a"`), apitest.StoredWidget{}.String()},
		{"defaults within lists and objects",
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"parts":[{"name":"p"},{"name":"q","count":5}],"template":{}}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"parts":[{"name":"p","count":1},{"name":"q","count":5}]}`}.String()},
		{"given values stay", apitest.WidgetBody(`"name":"a"`,
			`"spec":{"size":1,"color":"green","replicas":3,"template":{"image":"x","args":["y"]}}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"green","replicas":3,"template":{"image":"x","args":["y"]}}`}.String()},
		{"zero values, empty values and null where it means something",
			apitest.WidgetBody(`"name":"a"`,
				`"spec":{"size":1,"replicas":0,"paused":false,"weight":0,"owner":"","tags":[],"parts":[],"settings":{},"extra":{},"note":null}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"red","template":{"image":"none"},"replicas":0,"paused":false,"weight":0,"owner":"","tags":[],"parts":[],"settings":{},"extra":{},"note":null}`}.String()},
		{"null counts as absent and is defaulted",
			apitest.WidgetBody(`"name":"a","labels":null`, `"spec":{"size":1,"color":null,"owner":null}`),
			apitest.StoredWidget{}.String()},
		{"an integer or a string", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"port":"http"}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"port":"http"}`}.String()},
		{"labels and annotations", apitest.WidgetBody(`"name":"a","labels":{"app":"x","example.com/e":""},"annotations":{"UPPER/Key":"any text, at all!"}`),
			apitest.StoredWidget{Metadata: `"labels":{"app":"x","example.com/e":""},"annotations":{"UPPER/Key":"any text, at all!"}`}.String()},
		{"an owner", apitest.WidgetBody(`"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"B","name":"b","uid":"1","controller":true}]`),
			apitest.StoredWidget{Metadata: `"ownerReferences":[{"apiVersion":"v1","kind":"B","name":"b","uid":"1","controller":true}]`}.String()},
		{"the namespace may be given", apitest.WidgetBody(`"name":"a","namespace":"default"`),
			apitest.StoredWidget{}.String()},
		{"resourceVersion 0 counts as none", apitest.WidgetBody(`"name":"a","resourceVersion":"0"`),
			apitest.StoredWidget{}.String()},
		{"a name wins over generateName", apitest.WidgetBody(`"name":"a","generateName":"gen-"`),
			apitest.StoredWidget{Metadata: `"generateName":"gen-"`}.String()},
		{"the status is ignored", apitest.WidgetBody(`"name":"a"`, `"status":{"phase":"Ready","replicas":4}`),
			apitest.StoredWidget{}.String()},
		{"what the server sets is its own",
			apitest.WidgetBody(`"name":"a","uid":"mine","generation":9,"selfLink":"/x","creationTimestamp":"2001-02-03T04:05:06Z","deletionTimestamp":"2001-02-03T04:05:06Z","deletionGracePeriodSeconds":7`),
			apitest.StoredWidget{}.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			created := apitest.Do(t, api, "POST", apitest.Widgets, c.body)
			apitest.WantJSON(t, created, 201, c.want)
			assert.Equal(t, created.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body,
				"a GET answers the same bytes")
		})
	}
}

func TestCreateKeepsNumbersExactly(t *testing.T) {
	api := apitest.NewWidgets(t)
	a := apitest.Do(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a"`,
			`"spec":{"size":1,"big":9223372036854775807,"weight":1.5,"extra":{"a":9007199254740993,"b":-9223372036854775808,"c":0.1,"n":null,"l":[null,{"x":null}]}}`))
	require.Equal(t, 201, a.Code, a.Body)
	for _, text := range []string{`"big":9223372036854775807`, `"weight":1.5`, `"a":9007199254740993`,
		`"b":-9223372036854775808`, `"c":0.1`,
		`"n":null`, `"l":[null,{"x":null}]`} {
		assert.Contains(t, a.Body, text)
	}
}

func TestCreateRefusesBodies(t *testing.T) {
	const unrecognized = "the object provided is unrecognized (must be of type Widget): "
	const big = 3<<20 + 1
	for _, c := range []struct {
		name, body   string
		code         int
		reason, text string
	}{
		{"no JSON", "not json", 400, "BadRequest",
			unrecognized + "couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u') (6e6f74206a736f6e)"},
		{"no kind", `{"apiVersion":"example.com/v1","metadata":{"name":"a"}}`, 400, "BadRequest",
			unrecognized + `Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":{"name":"a"}}' ({"apiVersion":"example.com/v1" ...)`},
		{"no apiVersion", `{"kind":"Widget","metadata":{"name":"a"}}`, 400, "BadRequest",
			"the API version in the data () does not match the expected API version (example.com/v1)"},
		{"null", "null", 400, "BadRequest", unrecognized + "Object 'Kind' is missing in 'null' (6e756c6c)"},
		{"true", "true", 400, "BadRequest",
			unrecognized +
				"couldn't get version/kind; json parse error: json: cannot unmarshal bool into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" } (74727565)"},
		{"a kind and an apiVersion of wrong types: the first is reported", `{"kind":[],"apiVersion":{}}`, 400, "BadRequest",
			unrecognized +
				`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string ({"kind":[],"apiVersion":{}})`},
		{"a kind in other letters", `{"Kind":"Widget","apiVersion":"example.com/v1"}`, 400, "BadRequest",
			unrecognized + `Object 'Kind' is missing in '{"Kind":"Widget","apiVersion":"example.com/v1"}' ({"Kind":"Widget","apiVersion": ...)`},
		{"a number beyond every float", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"extra":{"x":[1e999]}}`), 400,
			"BadRequest", `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e999 into Go value of type float64`},
		{"a resourceVersion", apitest.WidgetBody(`"name":"a","resourceVersion":"1"`), 400, "BadRequest",
			"resourceVersion should not be set on objects to be created"},
		{"too large", `{"kind":"` + strings.Repeat("x", big) + `"}`, 413, "RequestEntityTooLarge",
			"Request entity too large: limit is 3145728"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets, c.body), c.code, c.reason, c.text, "")
			assert.Empty(t, apitest.Do(t, api, "GET", apitest.AllWidgets, "").Names(t))
		})
	}
}

func TestCreateRefusesAnotherKind(t *testing.T) {
	api := apitest.NewWidgets(t)
	a := apitest.Do(t, api, "POST", apitest.Widgets,
		`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":1}}`)
	apitest.WantInvalid(t, a, "Gadget.example.com", "a",
		apitest.Invalid("kind", `Invalid value: "Gadget": must be Widget`))
}

// The schema of a kind says nothing about the fields of another kind, such as the items of a list. Metadata is the same
// in all kinds.
func TestUnknownFieldsOfAnotherKind(t *testing.T) {
	api := apitest.NewWidgets(t)
	const list = `{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{"name":"a","nonsense":1},"items":[{"nonsense":1}]}`
	warning := []string{`299 - "unknown field \"metadata.nonsense\""`}
	a := apitest.Do(t, api, "POST", apitest.Widgets, list)
	apitest.WantInvalid(t, a, "WidgetList.example.com", "a",
		apitest.Invalid("kind", `Invalid value: "WidgetList": must be Widget`))
	assert.Equal(t, warning, a.Header["Warning"])
	a = apitest.Do(t, api, "POST", apitest.Widgets+"?fieldValidation=Strict",
		strings.Replace(list, `,"nonsense":1}`, "}", 1))
	assert.Equal(t, 422, a.Code, a.Body)
	a = apitest.Do(t, api, "PUT", apitest.Widgets+"/a", list)
	assert.Equal(t, 404, a.Code, a.Body)
	assert.Equal(t, warning, a.Header["Warning"])
}

func TestCreateRefusesMetadataOfAWrongType(t *testing.T) {
	api := apitest.NewWidgets(t)
	for name, metadata := range map[string]string{
		"a number as name": `{"name":5}`, "a number as label": `{"name":"a","labels":{"k":1}}`, "a text as metadata": `"x"`,
		"a list as labels": `{"name":"a","labels":["x"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := apitest.Do(t, api, "POST", apitest.Widgets,
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":`+metadata+`,"spec":{"size":1}}`)
			assert.Equal(t, 400, a.Code, a.Body)
			assert.Equal(t, "BadRequest", a.Text(t, "reason"))
			assert.Contains(t, a.Text(t, "message"),
				`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal`)
		})
	}
}

func TestCreateValidates(t *testing.T) {
	spec := func(more string) string { return apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,`+more+`}`) }
	meta := func(more string) string { return apitest.WidgetBody(`"name":"a",` + more) }
	named := func(name string) string { return apitest.WidgetBody(`"name":"` + name + `"`) }
	const uid = `"uid":"1"`
	for _, c := range []struct {
		name, body string
		object     string // the name in the answer
		causes     []apitest.Cause
	}{
		{"no name", apitest.WidgetBody(""), "",
			[]apitest.Cause{apitest.Required("metadata.name", "Required value: name or generateName is required")}},
		{"an upper-case name", named("Upper"), "Upper",
			[]apitest.Cause{apitest.Invalid("metadata.name", `Invalid value: "Upper": `+apitest.SubdomainText)}},
		{"an underscore in a name", named("under_score"), "under_score",
			[]apitest.Cause{apitest.Invalid("metadata.name", `Invalid value: "under_score": `+apitest.SubdomainText)}},
		{"a name too long", named(strings.Repeat("a", 254)), strings.Repeat("a", 254),
			[]apitest.Cause{apitest.Invalid("metadata.name",
				`Invalid value: "`+strings.Repeat("a", 254)+`": must be no more than 253 characters`)}},
		{"a bad label key", meta(`"labels":{"bad key":"v"}`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.labels", `Invalid value: "bad key": `+apitest.NamePartText)}},
		{"a bad label value", meta(`"labels":{"k":"bad value!"}`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.labels", `Invalid value: "bad value!": `+apitest.LabelValueText)}},
		{"a label value too long", meta(`"labels":{"k":"` + strings.Repeat("v", 64) + `"}`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.labels",
				`Invalid value: "`+strings.Repeat("v", 64)+`": must be no more than 63 bytes`)}},
		{"a bad annotation key", meta(`"annotations":{"bad key":"v"}`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.annotations", `Invalid value: "bad key": `+apitest.NamePartText)}},
		{"annotations too long", meta(`"annotations":{"k":"` + strings.Repeat("v", 262144) + `"}`), "a",
			[]apitest.Cause{apitest.TooLong("metadata.annotations", "Too long: may not be more than 262144 bytes")}},
		{"an owner without anything", meta(`"ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""}]`), "a",
			[]apitest.Cause{
				apitest.Required("metadata.ownerReferences[0].apiVersion", `Required value: must not be empty`),
				apitest.Required("metadata.ownerReferences[0].kind", `Required value: must not be empty`),
				apitest.Required("metadata.ownerReferences[0].name", `Required value: must not be empty`),
				apitest.Required("metadata.ownerReferences[0].uid", `Required value: must not be empty`)}},
		{"an owner with a bad version", meta(`"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"e",` + uid +
			`},{"apiVersion":"a/b/c","kind":"A","name":"e",` + uid + `}]`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.ownerReferences[1].apiVersion",
				`Invalid value: "a/b/c": must be <group>/<version> or <version>`)}},
		{"an owner without a version", meta(`"ownerReferences":[{"apiVersion":"a/","kind":"A","name":"e",` + uid + `}]`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.ownerReferences[0].apiVersion",
				`Invalid value: "a/": must be <group>/<version> or <version>`)}},
		{"two controllers", meta(`"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"e",` + uid +
			`,"controller":true},{"apiVersion":"v1","kind":"B","name":"f",` + uid + `,"controller":true}]`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.ownerReferences",
				`Invalid value: [{"apiVersion":"v1","kind":"A","name":"e","uid":"1","controller":true},{"apiVersion":"v1","kind":"B","name":"f","uid":"1","controller":true}]: `+
					`Only one reference can have Controller set to true. Found "true" in references for A/e and B/f`)}},
		{"an event as owner", meta(`"ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"e",` + uid + `}]`), "a",
			[]apitest.Cause{apitest.Invalid("metadata.ownerReferences[0]",
				`Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"1"}: /v1, Kind=Event is disallowed from being an owner`)}},
		{"no spec", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}`, "a",
			[]apitest.Cause{apitest.Required("spec", "Required value")}},
		{"a required field", apitest.WidgetBody(`"name":"a"`, `"spec":{}`), "a",
			[]apitest.Cause{apitest.Required("spec.size", "Required value")}},
		{"a required field of an element", spec(`"parts":[{"count":1}]`), "a",
			[]apitest.Cause{apitest.Required("spec.parts[0].name", "Required value")}},
		{"too small", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":0}`), "a",
			[]apitest.Cause{apitest.Invalid("spec.size",
				"Invalid value: 0: spec.size in body should be greater than or equal to 1")}},
		{"too large", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":101}`), "a",
			[]apitest.Cause{apitest.Invalid("spec.size",
				"Invalid value: 101: spec.size in body should be less than or equal to 100")}},
		{"not in the enumeration", spec(`"color":"pink"`), "a",
			[]apitest.Cause{apitest.NotSupported("spec.color",
				`Unsupported value: "pink": supported values: "red", "green", "blue"`)}},
		{"text too long", spec(`"owner":"12345678901"`), "a",
			[]apitest.Cause{apitest.TooLong("spec.owner", "Too long: may not be more than 10 bytes")}},
		{"pattern", spec(`"code":"ABC"`), "a",
			[]apitest.Cause{apitest.Invalid("spec.code", `Invalid value: "ABC": spec.code in body should match '^[a-z]+$'`)}},
		{"too many items", spec(`"tags":["a","b","c","d","e","f"]`), "a",
			[]apitest.Cause{apitest.TooMany("spec.tags", "Too many: 6: must have at most 5 items")}},
		{"a duplicate in a set", spec(`"tags":["a","b","a"]`), "a",
			[]apitest.Cause{apitest.Duplicate("spec.tags[2]", `Duplicate value: "a"`)}},
		{"a duplicate in a list map", spec(`"parts":[{"name":"p"},{"name":"q"},{"name":"p"}]`), "a",
			[]apitest.Cause{apitest.Duplicate("spec.parts[2]", `Duplicate value: {"name":"p"}`)}},
		{"a text for a number", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":"1"}`), "a",
			[]apitest.Cause{apitest.TypeInvalid("spec.size",
				`Invalid value: "string": spec.size in body must be of type integer: "string"`)}},
		{"neither integer nor string", spec(`"port":true`), "a",
			[]apitest.Cause{apitest.TypeInvalid("spec.port",
				`Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"`)}},
		{"several things", apitest.WidgetBody(`"name":"a","labels":{"k":"bad value!"}`, `"spec":{"size":0,"color":"pink"}`),
			"a", []apitest.Cause{
				apitest.Invalid("metadata.labels", `Invalid value: "bad value!": `+apitest.LabelValueText),
				apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`),
				apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets, c.body), "Widget.example.com", c.object,
				c.causes...)
			assert.Empty(t, apitest.Do(t, api, "GET", apitest.AllWidgets, "").Names(t), "nothing was stored")
		})
	}
}

func TestCreateWithTheLongestName(t *testing.T) {
	api := apitest.NewWidgets(t)
	name := strings.Repeat("a", 253)
	apitest.CreateWidget(t, api, name)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/"+name, "").Code)
}

func TestGenerateName(t *testing.T) {
	api := apitest.NewWidgets(t)
	base58 := strings.Repeat("b", 58)
	for _, c := range []struct{ name, base, kept string }{
		{"short", "gen-", "gen-"},
		{"cut so that the name is no longer than a label", base58 + "tail-", base58},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := map[string]bool{}
			for range 20 {
				a := apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"`+c.base+`"`))
				name := a.Text(t, "metadata.name")
				assert.Regexp(t, "^"+c.kept+"[bcdfghjklmnpqrstvwxz2456789]{5}$", name)
				assert.Equal(t, c.base, a.Text(t, "metadata.generateName"))
				assert.False(t, seen[name])
				seen[name] = true
			}
		})
	}
	t.Run("a base that no name can begin with", func(t *testing.T) {
		a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"Bad_"`))
		assert.Equal(t, 422, a.Code)
		assert.Equal(t, "metadata.generateName", a.Text(t, "details.causes.0.field"))
	})
}

// crowdedStore says of every name that it is taken.
type crowdedStore struct{ *memory.Store }

func (s crowdedStore) Update(ctx context.Context, key storage.Key, f storage.UpdateFunc) (*storage.Record, error) {
	_, err := f(&storage.Record{Key: key})
	return nil, err
}

func TestGenerateNameGivesUp(t *testing.T) {
	store := crowdedStore{apitest.NewStore(t)}
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"gen-"`))
	require.Equal(t, 409, a.Code, a.Body)
	assert.Equal(t, "1", a.Header.Get("Retry-After"))
	assert.Equal(t, "AlreadyExists", a.Text(t, "reason"))
	assert.Equal(t, float64(1), a.Value(t, "details.retryAfterSeconds"))
	name := a.Text(t, "details.name")
	assert.Equal(t, fmt.Sprintf(`widgets.example.com %q already exists, the server was not able to generate a unique name for the object`,
		name), a.Text(t, "message"))
}

func TestCreateOfATakenName(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)), 409,
		"AlreadyExists", `widgets.example.com "a" already exists`, apitest.AboutWidget("a"))
	assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/other/widgets",
		apitest.WidgetBody(`"name":"a"`)).Code, "names are unique in one namespace only")
	t.Run("again after a delete", func(t *testing.T) {
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
		a := apitest.CreateWidget(t, api, "a")
		apitest.WantJSON(t, a, 201, apitest.StoredWidget{UID: a.Text(t, "metadata.uid"), RV: "5"}.String())
		assert.NotEqual(t, "uid-1", a.Text(t, "metadata.uid"))
	})
}

func TestCreateNeedsACollectionInANamespace(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for name, target := range map[string]string{"all namespaces": apitest.AllWidgets,
		"an object": apitest.Widgets + "/a"} {
		t.Run(name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, http.MethodPost, target, apitest.WidgetBody(`"name":"b"`)), 405,
				"MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
		})
	}
}

func TestCreateDryRun(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All", apitest.WidgetBody(`"name":"a"`)), 201,
		apitest.StoredWidget{RV: "none"}.String())
	// Only the store of kube-apiserver refuses a resourceVersion, and a dry run does not reach it.
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All",
		apitest.WidgetBody(`"name":"a","resourceVersion":"1"`)), 201, apitest.StoredWidget{RV: "none", UID: "uid-2"}.String())
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All",
		apitest.WidgetBody(`"name":"a"`, `"spec":{"size":0}`)), "Widget.example.com", "a",
		apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"))
	apitest.CreateWidget(t, api, "a")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All", apitest.WidgetBody(`"name":"a"`)),
		409, "AlreadyExists", `widgets.example.com "a" already exists`, apitest.AboutWidget("a"))
	a := apitest.Must(t, api, "POST", apitest.Widgets+"?dryRun=All", apitest.WidgetBody(`"generateName":"g-"`))
	assert.Len(t, a.Text(t, "metadata.name"), len("g-")+5)
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
}

func TestWriteOptionsAreChecked(t *testing.T) {
	api := apitest.NewWidgets(t)
	rv := apitest.CreateWidget(t, api, "a").ResourceVersion(t)
	body := apitest.WidgetBody(`"name":"a","resourceVersion":"` + rv + `"`)
	for _, c := range []struct {
		name, method, target, query, kind string
		want                              apitest.Cause
	}{
		{"dryRun of a create", "POST", apitest.Widgets, "dryRun=true", "CreateOptions",
			apitest.NotSupported("dryRun", `Unsupported value: ["true"]: supported values: "All"`)},
		{"dryRun of an update", "PUT", apitest.Widgets + "/a", "dryRun=Some", "UpdateOptions",
			apitest.NotSupported("dryRun", `Unsupported value: ["Some"]: supported values: "All"`)},
		{"dryRun of a patch", "PATCH", apitest.Widgets + "/a", "dryRun=all", "PatchOptions",
			apitest.NotSupported("dryRun", `Unsupported value: ["all"]: supported values: "All"`)},
		{"dryRun of a delete", "DELETE", apitest.Widgets + "/a", "dryRun=x", "DeleteOptions",
			apitest.NotSupported("dryRun", `Unsupported value: ["x"]: supported values: "All"`)},
		{"fieldValidation", "POST", apitest.Widgets, "fieldValidation=Foo", "CreateOptions",
			apitest.NotSupported("fieldValidation",
				`Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"`)},
		{"a long fieldManager", "POST", apitest.Widgets, "fieldManager=" + strings.Repeat("m", 129), "CreateOptions",
			apitest.TooLong("fieldManager", "Too long: may not be more than 128 bytes")},
		{"an unprintable fieldManager", "PUT", apitest.Widgets + "/a", "fieldManager=a%07", "UpdateOptions",
			apitest.Invalid("fieldManager", `Invalid value: "a\a": invalid character U+0007 (at position 1)`)},
		{"force without apply", "PATCH", apitest.Widgets + "/a", "force=true", "PatchOptions",
			apitest.Forbidden("force", "Forbidden: may not be specified for non-apply patch")},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, media := body, "application/json"
			switch c.method {
			case "PATCH":
				body, media = `{}`, apitest.TypeMergePatch
			case "DELETE":
				body = ""
			}
			apitest.WantInvalid(t, apitest.Do(t, api, c.method, c.target+"?"+c.query, body, "Content-Type", media),
				c.kind+".meta.k8s.io", "", c.want)
		})
	}
}
