package write_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// times shows when each manager wrote last, in seconds since the test began.
func times(t testing.TB, a apitest.Answer) string {
	t.Helper()
	var obj struct {
		Metadata struct{ ManagedFields []apimeta.ManagedFieldsEntry }
	}
	a.Decode(t, &obj)
	var out []string
	for _, e := range obj.Metadata.ManagedFields {
		at := "never"
		if e.Time != nil {
			at = fmt.Sprint(e.Time.Sub(apitest.Now().Truncate(time.Second)).Seconds())
		}
		out = append(out, e.Manager+" "+at)
	}
	return strings.Join(out, ", ")
}

// config is a configuration of the Widget a.
func config(rest string) string {
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},` + rest + `}`
}

// Each story is a series of writes to one Widget, and who owns what after each.
func TestManagedFieldsStories(t *testing.T) {
	type step struct {
		verb, path, media, body string
		code                    int
		owners                  string // "" for what is not looked at
	}
	apply := func(query, body string, code int, owners string) step {
		return step{"PATCH", apitest.Widgets + "/a" + query, apitest.TypeApply, body, code, owners}
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"an update takes the fields it changes", []step{
			{"POST", apitest.Widgets + "?fieldManager=m", "", config(`"spec":{"size":1,"steps":["x"]}`), 201,
				`m Update {"f:spec":{".":{},"f:color":{},"f:replicas":{},"f:size":{},"f:steps":{},"f:template":{".":{},"f:image":{}}}}`},
			{"PATCH", apitest.Widgets + "/a?fieldManager=n", apitest.TypeMergePatch, `{"spec":{"size":2}}`, 200,
				`m Update {"f:spec":{".":{},"f:color":{},"f:replicas":{},"f:steps":{},"f:template":{".":{},"f:image":{}}}}` + "\n" +
					`n Update {"f:spec":{"f:size":{}}}`},
			{"PATCH", apitest.Widgets + "/a?fieldManager=n", apitest.TypeMergePatch, `{"spec":{"size":3,"steps":null}}`, 200,
				`m Update {"f:spec":{".":{},"f:color":{},"f:replicas":{},"f:template":{".":{},"f:image":{}}}}` + "\n" +
					`n Update {"f:spec":{"f:size":{}}}`},
		}},
		{"a conflict, by force", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1,"parts":[{"name":"p","count":2}]}`), 201, ""),
			apply("?fieldManager=n", config(`"spec":{"parts":[{"name":"p","count":3}]}`), 409, ""),
			apply("?fieldManager=n&force=true", config(`"spec":{"parts":[{"name":"p","count":3}]}`), 200,
				`m Apply {"f:spec":{"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:name":{}}},"f:size":{}}}`+"\n"+
					`n Apply {"f:spec":{"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:count":{},"f:name":{}}}}}`),
		}},
		{"fields that nobody applies any more go, fields of others stay", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1,"settings":{"a":"1","b":"2"}}`), 201, ""),
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"settings":{"c":"3"}}}`, 200, ""},
			apply("?fieldManager=m", config(`"spec":{"size":1}`), 200,
				`m Apply {"f:spec":{"f:size":{}}}`+"\n"+`u Update {"f:spec":{"f:settings":{"f:c":{}}}}`),
		}},
		{"cleared managedFields: before-first-apply owns the existing fields", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1}`), 201, ""),
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch,
				`{"metadata":{"managedFields":[{}]},"spec":{"owner":"o"}}`, 200, ""},
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"owner":"p"}}`, 200, ""},
			apply("?fieldManager=m", config(`"spec":{"size":1}`), 200,
				`m Apply {"f:spec":{"f:size":{}}}`+"\n"+
					`before-first-apply Update {"f:spec":{".":{},"f:color":{},"f:owner":{},"f:replicas":{},"f:size":{},"f:template":{".":{},"f:image":{}}}}`),
		}},
		{"a list of one empty entry begins anew", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1}`), 201, ""),
			{"PUT", apitest.Widgets + "/a?fieldManager=u", "",
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"2","managedFields":[{}]},"spec":{"size":2}}`, 200, ""},
		}},
		{"entries that a client writes replace those there were", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1}`), 201, ""),
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch,
				`{"metadata":{"managedFields":[{"manager":"other","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]}}`, 200,
				`other Apply {"f:spec":{"f:size":{}}}`},
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch,
				`{"metadata":{"managedFields":[{"manager":"other","operation":"Nonsense"}]}}`, 200,
				`other Apply {"f:spec":{"f:size":{}}}`},
			{"PATCH", apitest.Widgets + "/a?fieldManager=u", apitest.TypeMergePatch,
				`{"metadata":{"managedFields":[{"manager":"` + strings.Repeat("x", 129) +
					`","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]}}`, 422, ""},
		}},
		{"kubectl that applied on the client before", []step{
			{"POST", apitest.Widgets + "?fieldManager=kubectl-client-side-apply", "",
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1}}"}},"spec":{"size":1}}`, 201, ""},
			apply("?fieldManager=other", config(`"spec":{"size":2}`), 409, ""),
			apply("?fieldManager=kubectl", config(`"spec":{"size":2}`), 200, ""),
		}},
		{"the status has entries of its own", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1},"status":{"phase":"Ready"}`), 201,
				`m Apply {"f:spec":{"f:size":{}}}`),
			{"PATCH", apitest.Widgets + "/a/status?fieldManager=m", apitest.TypeApply, config(`"status":{"phase":"Ready"}`), 200,
				`m Apply {"f:spec":{"f:size":{}}}` + "\n" + `m Apply status {"f:status":{"f:phase":{}}}`},
			{"PATCH", apitest.Widgets + "/a/status?fieldManager=m", apitest.TypeMergePatch, `{"status":{"phase":"Failed"}}`, 200,
				`m Apply {"f:spec":{"f:size":{}}}` + "\n" + `m Update status {"f:status":{"f:phase":{}}}`},
		}},
		{"replicas are owned through the scale", []step{
			apply("?fieldManager=m", config(`"spec":{"size":1,"replicas":1}`), 201, ""),
			{"PATCH", apitest.Widgets + "/a/scale?fieldManager=s", apitest.TypeApply,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"nonsense":2}}`, 400, ""},
			{"PATCH", apitest.Widgets + "/a/scale?fieldManager=s", apitest.TypeApply,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":2}}`, 409, ""},
			{"PATCH", apitest.Widgets + "/a/scale?fieldManager=s&force=true", apitest.TypeApply,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":2}}`, 200, ""},
			{"GET", apitest.Widgets + "/a", "", "", 200,
				`s Apply scale {"f:spec":{"f:replicas":{}}}` + "\n" + `m Apply {"f:spec":{"f:size":{}}}`},
			{"PATCH", apitest.Widgets + "/a/scale?fieldManager=s", apitest.TypeMergePatch, `{"spec":{"replicas":3}}`, 200, ""},
			{"GET", apitest.Widgets + "/a", "", "", 200,
				`m Apply {"f:spec":{"f:size":{}}}` + "\n" + `s Update scale {"f:spec":{"f:replicas":{}}}`},
			{"PATCH", apitest.Widgets + "/none/scale?fieldManager=s", apitest.TypeApply,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"none"},"spec":{"replicas":2}}`, 404, ""},
		}},
		{"a name is taken from the User-Agent", []step{
			{"POST", apitest.Widgets, "", config(`"spec":{"size":1}`), 201,
				`agent Update {"f:spec":{".":{},"f:color":{},"f:replicas":{},"f:size":{},"f:template":{".":{},"f:image":{}}}}`},
		}},
		{"refused", []step{
			apply("?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"nonsense":1}}`, 400, ""),
			apply("?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","uid":"3"},"spec":{"size":1}}`, 409, ""),
			apply("?fieldManager=m&fieldValidation=Strict",
				"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, size: 2}", 400, ""),
			apply("?fieldManager=m&fieldValidation=Strict",
				"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, size: 2}\n", 400, ""),
			{"PATCH", apitest.Widgets + "/a/status?fieldManager=m", apitest.TypeApply, config(`"status":{"phase":"Ready"}`), 404,
				""},
			{"GET", apitest.Widgets + "/a", "", "", 404, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			for i, s := range c.steps {
				a := apitest.Do(t, api, s.verb, s.path, s.body, "Content-Type", s.media, "User-Agent", "agent/v1 (test)")
				require.Equal(t, s.code, a.Code, "step %d: %s", i+1, a.Body)
				if s.owners != "" {
					assert.Equal(t, s.owners, apitest.OwnersOf(t, a), "step %d", i+1)
				}
			}
		})
	}
}

// The time of an entry is the time of its manager's last change of a value. Later requests that change no value do not
// count.
func TestManagedFieldsTimes(t *testing.T) {
	seconds := 0
	clock := func() time.Time { return apitest.Now().Add(time.Duration(seconds) * time.Second) }
	api := apitest.New(t, rest.Options{Now: clock}, apitest.WidgetResource())
	for i, s := range []struct{ query, media, body, want string }{
		{"?fieldManager=m", apitest.TypeApply, config(`"spec":{"size":1}`), "m 0"},
		{"?fieldManager=m", apitest.TypeApply, config(`"spec":{"size":1}`), "m 0"},
		{"?fieldManager=n", apitest.TypeApply, config(`"spec":{"size":1}`), "n never, m 0"},
		{"?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"owner":"o"}}`, "n never, m 0, u 3"},
		{"?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"owner":"o"}}`, "n never, m 0, u 3"},
		{"?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"owner":"p"}}`, "n never, m 0, u 5"},
		{"?fieldManager=n", apitest.TypeApply, config(`"spec":{"size":1,"code":"x"}`), "m 0, n 6, u 5"},
		{"?fieldManager=u", apitest.TypeMergePatch, `{"spec":{"code":"y"}}`, "n never, m 0, u 7"},
	} {
		a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a"+s.query, s.body, "Content-Type", s.media)
		require.Less(t, a.Code, 300, a.Body)
		if i == 7 {
			s.want = "m 0, n 6, u 7"
		}
		assert.Equal(t, s.want, times(t, a), "step %d", i+1)
		seconds++
	}
}

// An object keeps ten managers of updates apart; the oldest share an entry.
func TestManyUpdateManagers(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for i := range 12 {
		a := apitest.Do(t, api, "PATCH", apitest.Widgets+fmt.Sprintf("/a?fieldManager=m%02d", i),
			fmt.Sprintf(`{"spec":{"settings":{"k%02d":"v"}}}`, i), "Content-Type", apitest.TypeMergePatch)
		require.Equal(t, 200, a.Code, a.Body)
		if i == 11 {
			lines := strings.Split(apitest.OwnersOf(t, a), "\n")
			assert.Len(t, lines, 10)
			assert.Contains(t, lines[0], "ancient-changes Update")
			assert.Contains(t, lines[0], `"f:k00":{},"f:k01":{}`)
		}
	}
}

// The in-process client writes under its own name, if it has one, or else under the name of the user.
func TestManagerOfTheClient(t *testing.T) {
	api := apitest.NewWidgets(t)
	c := apitest.WidgetClient(t, api)
	size := int32(1)
	managers := func(w *apitest.Widget) (out []string) {
		for _, e := range w.ManagedFields {
			out = append(out, e.Manager)
		}
		return out
	}
	w, err := c.FieldManager("one").Create(t.Context(),
		&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: &size}})
	require.NoError(t, err)
	assert.Equal(t, []string{"one"}, managers(w))
	ctx := access.WithUser(t.Context(), access.User{Name: "alice"})
	w, err = c.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"owner":"o"}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"alice", "one"}, managers(w))
	_, err = c.Apply(t.Context(), "a", map[string]any{"spec": map[string]any{"size": 1}}, apimeta.ApplyOptions{})
	assert.True(t, status.IsInvalid(err), "a manager needs a name: %v", err)
	w, err = c.FieldManager("two").ApplyStatus(t.Context(), "a", map[string]any{"status": map[string]any{"phase": "Ready"}},
		apimeta.ApplyOptions{})
	require.NoError(t, err)
	assert.Equal(t, "Ready", w.Status.Phase)
	assert.Equal(t, []string{"two", "alice", "one"}, managers(w))
	_, err = c.FieldManager("two").Apply(t.Context(), "a", map[string]any{"spec": map[string]any{"size": 2}},
		apimeta.ApplyOptions{})
	assert.True(t, status.HasCause(err, status.CauseFieldManagerConflict), "%v", err)
	w, err = c.FieldManager("two").Apply(t.Context(), "a", map[string]any{"spec": map[string]any{"size": 2}},
		apimeta.ApplyOptions{Force: true})
	require.NoError(t, err)
	assert.Equal(t, int32(2), *w.Spec.Size)
}

// A resource can do without: nothing is kept, and nothing can be applied.
func TestUntracked(t *testing.T) {
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Wire.Untracked = true })
	a := apitest.Do(t, api, "POST", apitest.Widgets,
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{}}]},"spec":{"size":1}}`)
	require.Equal(t, http.StatusCreated, a.Code, a.Body)
	assert.NotContains(t, a.Body, "managedFields")
	a = apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager=m", config(`"spec":{"size":1}`), "Content-Type",
		apitest.TypeApply)
	assert.Equal(t, http.StatusUnsupportedMediaType, a.Code)
	assert.NotContains(t, a.Body, "apply-patch")
	_, err := apitest.WidgetClient(t, api).FieldManager("m").Apply(t.Context(), "a", map[string]any{},
		apimeta.ApplyOptions{})
	assert.Equal(t, http.StatusUnsupportedMediaType, status.CodeOf(err))
}

// An entry names fields in the version of its write, and holds against writes in other versions.
func TestManagedFieldsOfVersions(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.CogResource())
	beta := func(spec string) string {
		return `{` + apitest.BetaCogKind + `,"metadata":{"name":"a"},"spec":` + spec + `}`
	}
	stored := func(spec string) string {
		return `{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
	}
	a := apitest.Do(t, api, "PATCH", apitest.BetaCogs+"/a?fieldManager=m", beta(`{"toothCount":5}`), "Content-Type",
		apitest.TypeApply)
	require.Equal(t, 201, a.Code, a.Body)
	assert.Equal(t, `m Apply {"f:spec":{"f:toothCount":{}}}`, apitest.OwnersOf(t, a))
	assert.Contains(t, a.Body, `"fieldsV1":{"f:spec":{"f:toothCount":{}}}`)

	a = apitest.Do(t, api, "PATCH", apitest.Cogs+"/a?fieldManager=n", stored(`{"teeth":6}`), "Content-Type",
		apitest.TypeApply)
	require.Equal(t, 409, a.Code, a.Body)
	assert.Contains(t, a.Body, `.spec.toothCount`, "as its owner calls it")
	a = apitest.Do(t, api, "PATCH", apitest.Cogs+"/a?fieldManager=n&force=true", stored(`{"teeth":6}`), "Content-Type",
		apitest.TypeApply)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, `n Apply {"f:spec":{"f:teeth":{}}}`, apitest.OwnersOf(t, a))

	a = apitest.Do(t, api, "PATCH", apitest.BetaCogs+"/a?fieldManager=u", `{"spec":{"toothCount":7}}`, "Content-Type",
		apitest.TypeMergePatch)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, `u Update {"f:spec":{"f:toothCount":{}}}`, apitest.OwnersOf(t, a))
}

// No manager owns the defaults of a singleton, so an apply can change them without force.
func TestApplyToSingleton(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SettingsResource())
	a := apitest.Do(t, api, "PATCH", apitest.SettingsPath+"/cluster?fieldManager=m",
		`{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster"},"spec":{"level":"high"}}`,
		"Content-Type", apitest.TypeApply)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, "decorum Apply {\"f:spec\":{}}\nm Apply {\"f:spec\":{\"f:level\":{}}}", apitest.OwnersOf(t, a))
}

// A text that begins with a brace is refused in other words than other YAML, as by kube-apiserver 1.37.
func TestMalformedConfigurations(t *testing.T) {
	for body, message := range map[string]string{
		`{"spec": `: "error decoding patch: error converting YAML to JSON: yaml: line 1: did not find expected node content",
		"a: b: c":   "error encoding patch: yaml: mapping values are not allowed in this context",
		`[]`: "error decoding patch: error unmarshaling JSON: while decoding JSON: " +
			"json: cannot unmarshal array into Go value of type map[string]interface {}",
	} {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m", body, "Content-Type",
			apitest.TypeApply)
		assert.Equal(t, 400, a.Code)
		assert.Equal(t, message, a.Text(t, "message"))
	}
}

func TestAppliedConfigurationsThatFitNoType(t *testing.T) {
	t.Run("a value that its Go type does not take", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewMemos(t), "PATCH", apitest.Memos+"/a?fieldManager=m",
			`{"apiVersion":"v1","kind":"Memo","metadata":{"name":"a","deletionTimestamp":"x"}}`, "Content-Type",
			apitest.TypeApply)
		assert.Equal(t, 400, a.Code)
		assert.Equal(t, `failed to convert new object (/a; /v1, Kind=Memo) to proper version: unable to convert unstructured object to /v1, Kind=Memo: `+
			`parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`, a.Text(t, "message"))
	})
	t.Run("invalid times of a custom kind", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m",
			apitest.WidgetBody(`"name":"a","creationTimestamp":"x","deletionTimestamp":"y","generation":1.5`,
				`"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.Equal(t, "2026-01-02T03:04:05Z", a.Text(t, "metadata.creationTimestamp"))
		assert.NotContains(t, a.Body, `"deletionTimestamp"`)
	})
	t.Run("a value of another type", func(t *testing.T) {
		for spec, want := range map[string]string{
			`{"color":{"b":1}}`: `.spec.color: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":1}}`,
			`{"parts":"x"}`:     `.spec.parts: expected list, got &{x}`,
			`{"settings":[[]]}`: `.spec.settings: expected map, got &{[[]]}`,
		} {
			a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m",
				apitest.WidgetBody(`"name":"a"`, `"spec":`+spec), "Content-Type", apitest.TypeApply)
			apitest.WantFailure(t, a, 400, "BadRequest",
				`failed to create typed patch object (/a; example.com/v1, Kind=Widget): `+want, "")
		}
	})
	t.Run("an unknown field, whatever the validation of fields", func(t *testing.T) {
		for _, validation := range []string{"", "Ignore", "Warn", "Strict"} {
			a := apitest.Do(t, apitest.NewWidgets(t), "PATCH",
				apitest.Widgets+"/a?fieldManager=m&fieldValidation="+validation,
				apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"nonsense":1}`), "Content-Type", apitest.TypeApply)
			apitest.WantFailure(t, a, 400, "BadRequest",
				"failed to create typed patch object (/a; example.com/v1, Kind=Widget): .spec.nonsense: field not declared in schema",
				"")
		}
	})
	t.Run("an invalid resourceVersion", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m",
			apitest.WidgetBody(`"name":"a","resourceVersion":"x"`, `"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, 400, a.Code, a.Body)
	})
	t.Run("managedFields that are no list", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m",
			apitest.WidgetBody(`"name":"a","managedFields":"x"`, `"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, `failed to create typed patch object (/a; example.com/v1, Kind=Widget): .metadata.managedFields: expected list, got &{x}`,
			a.Text(t, "message"))
	})
}

func TestApplyToAFieldOfAnyForm(t *testing.T) {
	api := apitest.NewWidgets(t)
	apply := func(manager, spec string) apitest.Answer {
		return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager="+manager,
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":`+spec+`}`, "Content-Type",
			apitest.TypeApply)
	}
	assert.Equal(t, 201, apply("m", `{"size":1,"port":80}`).Code)
	apitest.WantFailure(t, apply("n", `{"port":{"a":"b"}}`), 409, "Conflict",
		`Apply failed with 1 conflict: conflict with "m": .spec.port`,
		`{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"m\"","field":".spec.port"}]}`)
}

func TestEmptyManagedFields(t *testing.T) {
	const none = `{"metadata":{"managedFields":[]}}`
	t.Run("of a custom kind", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		a := apitest.MergePatch(t, api, apitest.Widgets+"/a", none)
		assert.Contains(t, a.Body, `"managedFields":[{`, "an empty list is not there for a custom resource")
		assert.Equal(t, "2", a.ResourceVersion(t))
	})
	t.Run("of a built-in kind", func(t *testing.T) {
		assert.NotContains(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a",
			none).Body, `"managedFields"`)
	})
}

func TestNullsInAnAppliedConfiguration(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       []apitest.Cause
	}{
		{"some", `{"size":1,"note":null,"color":null,"template":null,"parts":null,"owner":null,"settings":{"k":null}}`,
			[]apitest.Cause{
				apitest.TypeInvalid("spec.owner", `Invalid value: "null": spec.owner in body must be of type string: "null"`),
				apitest.TypeInvalid("spec.parts", `Invalid value: "null": spec.parts in body must be of type array: "null"`),
				apitest.TypeInvalid("spec.settings.k",
					`Invalid value: "null": spec.settings.k in body must be of type string: "null"`)}},
		{"of an enumeration", `{"size":1,"parts":[{"name":"p","kind":null}]}`, []apitest.Cause{
			apitest.TypeInvalid("spec.parts[0].kind",
				`Invalid value: "null": spec.parts[0].kind in body must be of type string: "null"`),
			apitest.NotSupported("spec.parts[0].kind", `Unsupported value: null: supported values: "bolt", "nut"`)}},
		{"of a required field", `{"size":null}`,
			[]apitest.Cause{apitest.TypeInvalid("spec.size",
				`Invalid value: "null": spec.size in body must be of type integer: "null"`)}},
		{"with other faults", `{"size":500,"owner":null,"parts":[{"name":"a","kind":null}]}`, []apitest.Cause{
			apitest.TypeInvalid("spec.owner", `Invalid value: "null": spec.owner in body must be of type string: "null"`),
			apitest.TypeInvalid("spec.parts[0].kind",
				`Invalid value: "null": spec.parts[0].kind in body must be of type string: "null"`),
			apitest.NotSupported("spec.parts[0].kind", `Unsupported value: null: supported values: "bolt", "nut"`),
			apitest.Invalid("spec.size", `Invalid value: 500: spec.size in body should be less than or equal to 100`)}},
		{"of the spec", `null`, []apitest.Cause{apitest.TypeInvalid("spec",
			`Invalid value: "null": spec in body must be of type object: "null"`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apply := func(labels, spec string) apitest.Answer {
				return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager=m",
					apitest.WidgetBody(`"name":"a","labels":`+labels, `"spec":`+spec), "Content-Type", apitest.TypeApply)
			}
			apitest.WantInvalid(t, apply("null", c.spec), "Widget.example.com", "a", c.want...)
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
			taken := apply("null", `{"size":1,"note":null,"color":null}`)
			assert.Equal(t, 201, taken.Code, "nulls that are let be, and those that a default replaces: %s", taken.Body)
		})
	}
}
