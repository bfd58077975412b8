package rest_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// cog is a Cog as a version shows it. The zero value of a part is the one of a new Cog.
type cog struct {
	version    string // v1
	rv         string // 2
	generation int    // 1
	metadata   string // more members of metadata
	spec       string
	status     string
}

func (c cog) String() string {
	version, rv, generation := c.version, c.rv, c.generation
	if version == "" {
		version = "v1"
	}
	if rv == "" {
		rv = "2"
	}
	if generation == 0 {
		generation = 1
	}
	out := fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Cog","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"%s","generation":%d,"resourceVersion":"%s"`,
		version, nowText, generation, rv)
	if c.metadata != "" {
		out += "," + c.metadata
	}
	out += `},"spec":` + c.spec
	if c.status != "" {
		out += `,"status":` + c.status
	}
	return out + "}"
}

func cogBody(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
}

func betaCogBody(spec string) string {
	return `{"apiVersion":"example.com/v1beta1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
}

func TestAnObjectIsReadInEachVersion(t *testing.T) {
	for _, c := range []struct {
		name, target string
		want         cog
	}{
		{"as stored", cogs, cog{spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"converted", betaCogs, cog{version: "v1beta1", metadata: `"annotations":{"example.com/note":"oil me"}`, spec: `{"toothCount":12,"metal":"steel"}`}},
		{"by what is common", alphaCogs, cog{version: "v1alpha1", spec: `{"teeth":12}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newCogs(t)
				w := follow(t, api, c.target+"?watch=1&resourceVersion=1")
				require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":12,"note":"oil me"}`)).Code)
				item := c.want.String()
				wantJSON(t, do(t, api, "GET", c.target+"/a", ""), 200, item)
				list := `"metadata":{"resourceVersion":"2"},"items":[` + item + `]}`
				version := strings.Split(c.target, "/")[3]
				wantJSON(t, do(t, api, "GET", c.target, ""), 200, `{"apiVersion":"example.com/`+version+`","kind":"CogList",`+list)
				w.want(event("ADDED", item))
				follow(t, api, c.target+"?watch=1").want(event("ADDED", item))
				must(t, api, "DELETE", cogs+"/a", "")
				c.want.rv = "3"
				w.want(event("DELETED", c.want.String()))
			})
		})
	}
}

func TestAWriteIsOfTheVersionOfItsRequest(t *testing.T) {
	const note = `"annotations":{"example.com/note":"oil me"}`
	begin := cogBody(`{"teeth":12,"note":"oil me"}`)
	for _, c := range []struct {
		name, method, target, contentType, body string
		code                                    int
		answer, stored                          cog
	}{
		{"create, with the version's defaults", "POST", betaCogs, "", betaCogBody(`{"toothCount":8}`), 201,
			cog{version: "v1beta1", spec: `{"toothCount":8,"metal":"iron"}`}, cog{spec: `{"teeth":8,"material":"iron"}`}},
		{"create with a null function", "POST", alphaCogs, "", `{"apiVersion":"example.com/v1alpha1","kind":"Cog","metadata":{"name":"a"},"spec":{"teeth":3}}`, 201,
			cog{version: "v1alpha1", spec: `{"teeth":3}`}, cog{spec: `{"teeth":3,"material":"steel"}`}},
		{"put", "PUT", betaCogs + "/a", "", `{"apiVersion":"example.com/v1beta1","kind":"Cog","metadata":{"name":"a","resourceVersion":"2",` + note + `},"spec":{"toothCount":9,"metal":"tin"}}`, 200,
			cog{version: "v1beta1", rv: "3", generation: 2, metadata: note, spec: `{"toothCount":9,"metal":"tin"}`},
			cog{rv: "3", generation: 2, spec: `{"teeth":9,"material":"tin","note":"oil me"}`}},
		{"merge patch", "PATCH", betaCogs + "/a", typeMergePatch, `{"spec":{"oiled":true}}`, 200,
			cog{version: "v1beta1", rv: "3", generation: 2, metadata: note, spec: `{"toothCount":12,"metal":"steel","oiled":true}`},
			cog{rv: "3", generation: 2, metadata: `"annotations":{"example.com/oiled":"true"}`, spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"JSON patch", "PATCH", betaCogs + "/a", typeJSONPatch, `[{"op":"test","path":"/spec/toothCount","value":12},{"op":"replace","path":"/spec/metal","value":"tin"}]`, 200,
			cog{version: "v1beta1", rv: "3", generation: 2, metadata: note, spec: `{"toothCount":12,"metal":"tin"}`},
			cog{rv: "3", generation: 2, spec: `{"teeth":12,"material":"tin","note":"oil me"}`}},
		{"status", "PATCH", betaCogs + "/a/status", typeMergePatch, `{"spec":{"metal":"tin"},"status":{"rotations":7}}`, 200,
			cog{version: "v1beta1", rv: "3", metadata: note, spec: `{"toothCount":12,"metal":"steel"}`, status: `{"rotations":7}`},
			cog{rv: "3", spec: `{"teeth":12,"material":"steel","note":"oil me"}`, status: `{"turns":7}`}},
		{"dry run", "PATCH", betaCogs + "/a?dryRun=All", typeMergePatch, `{"spec":{"metal":"tin"}}`, 200,
			cog{version: "v1beta1", generation: 2, metadata: note, spec: `{"toothCount":12,"metal":"tin"}`},
			cog{spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"nothing new", "PATCH", betaCogs + "/a", typeMergePatch, `{"spec":{"metal":"steel"}}`, 200,
			cog{version: "v1beta1", metadata: note, spec: `{"toothCount":12,"metal":"steel"}`},
			cog{spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newCogs(t)
			if c.method != "POST" {
				require.Equal(t, 201, do(t, api, "POST", cogs, begin).Code)
			}
			wantJSON(t, do(t, api, c.method, c.target, c.body, "Content-Type", cmp.Or(c.contentType, "application/json")), c.code, c.answer.String())
			wantJSON(t, do(t, api, "GET", cogs+"/a", ""), 200, c.stored.String())
		})
	}
}

// A version that has no words for something must not lose it for the others.
func TestAVersionLosesNothingItCannotSay(t *testing.T) {
	api := newCogs(t)
	require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":12,"material":"tin","note":"oil me"}`)).Code)
	must(t, api, "PATCH", cogs+"/a/status", `{"status":{"turns":7}}`, "Content-Type", typeMergePatch)
	must(t, api, "PATCH", alphaCogs+"/a", `{"spec":{"teeth":3}}`, "Content-Type", typeMergePatch)
	wantJSON(t, do(t, api, "GET", cogs+"/a", ""), 200,
		cog{rv: "4", generation: 2, spec: `{"teeth":3,"material":"tin","note":"oil me"}`, status: `{"turns":7}`}.String())
	put := do(t, api, "PUT", alphaCogs+"/a", `{"apiVersion":"example.com/v1alpha1","kind":"Cog","metadata":{"name":"a","resourceVersion":"4","labels":{"x":"y"}},"spec":{"teeth":4}}`)
	wantJSON(t, put, 200, cog{version: "v1alpha1", rv: "5", generation: 3, metadata: `"labels":{"x":"y"}`, spec: `{"teeth":4}`}.String())
	wantJSON(t, do(t, api, "GET", cogs+"/a", ""), 200,
		cog{rv: "5", generation: 3, metadata: `"labels":{"x":"y"}`, spec: `{"teeth":4,"material":"tin","note":"oil me"}`, status: `{"turns":7}`}.String())
}

// Millimeters are centimeters in the older version of the example, which rounds them.
func TestARoundedValueIsChangedOnlyByWhoChangesIt(t *testing.T) {
	shelves := rest.Resource[Shelf]{Group: "example.com", Version: "v1", Plural: "shelves", Versions: []rest.VersionOf[Shelf]{
		rest.Converted(rest.Resource[ShelfV1beta1]{Version: "v1beta1"},
			func(in *ShelfV1beta1, out *Shelf) error {
				out.Spec.WidthMillimeters = 10 * in.Spec.WidthCm
				return nil
			},
			func(in *Shelf, out *ShelfV1beta1) error {
				out.Spec.WidthCm = in.Spec.WidthMillimeters / 10
				return nil
			})}}
	api := newAPI(t, rest.Options{}, shelves)
	stored := clientFor[Shelf](t, api).Namespace("default")
	_, err := stored.Create(t.Context(), &Shelf{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: ShelfSpec{WidthMillimeters: 805}})
	require.NoError(t, err)
	for _, c := range []struct {
		patch string
		want  int32
	}{{`{"metadata":{"labels":{"x":"y"}}}`, 805}, {`{"spec":{"widthCm":80}}`, 805}, {`{"spec":{"widthCm":81}}`, 810}} {
		must(t, api, "PATCH", "/apis/example.com/v1beta1/namespaces/default/shelves/a", c.patch, "Content-Type", typeMergePatch)
		shelf, err := stored.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, c.want, shelf.Spec.WidthMillimeters, c.patch)
	}
}

func TestAVersionHasRulesOfItsOwn(t *testing.T) {
	api := newCogs(t)
	wantInvalid(t, do(t, api, "POST", betaCogs, betaCogBody(`{"toothCount":1}`)), "Cog.example.com", "a",
		invalid("spec.toothCount", "Invalid value: 1: spec.toothCount in body should be greater than or equal to 2"))
	answer := do(t, api, "POST", betaCogs, betaCogBody(`{"toothCount":3,"teeth":4}`))
	require.Equal(t, 201, answer.Code, answer.Body)
	assert.Contains(t, answer.Header.Values("Warning"), `299 - "unknown field \"spec.teeth\""`)
	wantFailure(t, do(t, api, "POST", betaCogs, cogBody(`{"teeth":4}`)), 400, "BadRequest",
		"the API version in the data (example.com/v1) does not match the expected API version (example.com/v1beta1)", "")
}

func TestSelectorsSpeakTheVersionOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newCogs(t)
		w := follow(t, api, betaCogs+"?watch=1&resourceVersion=1&fieldSelector=spec.metal%3Dtin")
		require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":12,"material":"tin"}`)).Code)
		tin := cog{version: "v1beta1", spec: `{"toothCount":12,"metal":"tin"}`}
		w.want(event("ADDED", tin.String()))
		for selector, names := range map[string][]string{
			"spec.metal=tin": {"a"}, "spec.metal=steel": {}, "spec.metal!=steel,metadata.name=a": {"a"},
		} {
			assert.Equal(t, names, must(t, api, "GET", betaCogs+"?fieldSelector="+strings.ReplaceAll(selector, "=", "%3D"), "").names(t), selector)
		}
		wantFailure(t, do(t, api, "GET", betaCogs+"?fieldSelector=spec.material%3Dtin", ""), 400, "BadRequest", "field label not supported: spec.material", "")
		wantFailure(t, do(t, api, "GET", cogs+"?fieldSelector=spec.metal%3Dtin", ""), 400, "BadRequest", "field label not supported: spec.metal", "")

		must(t, api, "PATCH", cogs+"/a", `{"spec":{"material":"steel"}}`, "Content-Type", typeMergePatch)
		tin.rv = "3"
		w.want(event("DELETED", tin.String()))
		assert.Equal(t, []string{"a"}, must(t, api, "GET", betaCogs+"?fieldSelector=spec.metal%3Dsteel", "").names(t))
	})
}

func TestRepresentationsOfAConvertedObject(t *testing.T) {
	api := newCogs(t)
	require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":12,"note":"oil me"}`)).Code)
	const metadata = `{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2","generation":1,"creationTimestamp":"` + nowText + `","annotations":{"example.com/note":"oil me"}}`
	const partial = `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":` + metadata + `}`
	wantJSON(t, do(t, api, "GET", betaCogs+"/a", "", "Accept", acceptPartial), 200, partial)
	wantJSON(t, do(t, api, "GET", betaCogs, "", "Accept", acceptPartials), 200,
		`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"2"},"items":[`+partial+`]}`)
	for _, target := range []string{betaCogs, betaCogs + "/a"} {
		a := must(t, api, "GET", target, "", "Accept", acceptTable)
		assert.Equal(t, "Metal", a.value(t, "columnDefinitions.1.name"), a.Body)
		assert.Equal(t, "steel", a.value(t, "rows.0.cells.1"))
	}
	scale := must(t, api, "GET", betaCogs+"/a/scale", "")
	assert.EqualValues(t, "12", fmt.Sprint(scale.value(t, "spec.replicas")))
	must(t, api, "PATCH", betaCogs+"/a/scale", `{"spec":{"replicas":20}}`, "Content-Type", typeMergePatch)
	wantJSON(t, do(t, api, "GET", cogs+"/a", ""), 200, cog{rv: "3", generation: 2, spec: `{"teeth":20,"material":"steel","note":"oil me"}`}.String())
}

// A version that declares no columns has those of the stored one that find a value of the same type in it.
func TestColumnsThatFitAnotherVersion(t *testing.T) {
	declared := []rest.Column{
		{Name: "Teeth", Type: "integer", Path: ".spec.teeth"},
		{Name: "Metal", Path: ".spec.material"},
		{Name: "Turns", Type: "integer", Path: ".status.turns", Priority: 1},
		rest.ColumnFunc(rest.Column{Name: "Size"}, func(*Cog) any { return "large" }),
		{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
	}
	headings := func(api *rest.API, target string) (names []string) {
		a := must(t, api, "GET", target, "", "Accept", acceptTable)
		for _, c := range a.value(t, "columnDefinitions").([]any) {
			names = append(names, c.(map[string]any)["name"].(string))
		}
		return names
	}
	withBeta := func(columns, beta []rest.Column) *rest.API {
		return newCogs(t, func(r *rest.Resource[Cog]) {
			b := betaCogResource()
			b.Columns = beta
			r.Columns = columns
			r.Versions[0] = rest.Converted(b, cogToV1, cogFromV1)
		})
	}
	api := withBeta(declared, nil)
	assert.Equal(t, []string{"Name", "Teeth", "Metal", "Turns", "Size", "Age"}, headings(api, cogs))
	assert.Equal(t, []string{"Name", "Age"}, headings(api, betaCogs), "it calls teeth and material otherwise")
	assert.Equal(t, []string{"Name", "Teeth", "Age"}, headings(api, alphaCogs))
	must(t, api, "POST", cogs, cogBody(`{"teeth":12}`))
	assert.EqualValues(t, 12, must(t, api, "GET", alphaCogs+"/a", "", "Accept", acceptTable).value(t, "rows.0.cells.1"))

	api = withBeta([]rest.Column{{Name: "Teeth", Type: "integer", Path: ".spec.teeth"}}, []rest.Column{{Name: "Metal", Path: ".spec.metal"}})
	assert.Equal(t, []string{"Name", "Metal"}, headings(api, betaCogs), "its own")
	assert.Equal(t, []string{"Name", "Teeth"}, headings(api, alphaCogs))

	api = withBeta([]rest.Column{{Name: "Metal", Path: ".spec.material"}}, nil)
	assert.Equal(t, []string{"Name", "Age"}, headings(api, alphaCogs), "where none fits the columns are those of a kind without any")
	assert.Equal(t, []string{"Name", "Age"}, headings(withBeta(nil, nil), alphaCogs))

	// A field of another type is another field.
	type lettered struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Teeth string `json:"teeth"`
		} `json:"spec"`
	}
	api = newCogs(t, func(r *rest.Resource[Cog]) {
		r.Versions = []rest.VersionOf[Cog]{rest.Converted(rest.Resource[lettered]{Version: "v1beta1"},
			func(*lettered, *Cog) error { return nil }, func(*Cog, *lettered) error { return nil })}
	})
	assert.Equal(t, []string{"Name", "Age"}, headings(api, betaCogs))
}

func TestDeletionThroughAnotherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newCogs(t)
		body := `{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"teeth":12}}`
		require.Equal(t, 201, do(t, api, "POST", cogs, body).Code)
		w := follow(t, api, betaCogs+"?watch=1&resourceVersion=2")
		dying := cog{version: "v1beta1", generation: 2, metadata: deleting("example.com/f"), spec: `{"toothCount":12,"metal":"steel"}`}
		wantJSON(t, do(t, api, "DELETE", betaCogs+"/a?dryRun=All", ""), 200, dying.String())
		dying.rv = "3"
		wantJSON(t, do(t, api, "DELETE", betaCogs+"/a", ""), 200, dying.String())
		w.want(event("MODIFIED", dying.String()))
		dying.metadata = deleting()
		answer := do(t, api, "PATCH", betaCogs+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type", typeMergePatch)
		require.Equal(t, 200, answer.Code, answer.Body)
		assert.Equal(t, "example.com/v1beta1", answer.text(t, "apiVersion"))
		require.Equal(t, 404, do(t, api, "GET", cogs+"/a", "").Code)

		require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":12}`)).Code)
		gone := must(t, api, "DELETE", betaCogs, "")
		assert.Equal(t, []string{"a"}, gone.names(t))
		assert.Equal(t, "example.com/v1beta1", gone.text(t, "apiVersion"))
	})
}

func TestAConversionThatFails(t *testing.T) {
	var log bytes.Buffer
	api := newAPI(t, rest.Options{Logger: thingLogger(&log)}, cogResource())
	failed := func(from, to string) string {
		return `Internal error occurred: conversion of Cog.example.com "a" from ` + from + ` to ` + to + ` failed`
	}
	for metal, text := range map[string]string{
		"unobtainium": ": nobody has unobtainium",
		"secret":      "",
		"panic":       "",
		"rename":      ": Internal error occurred: it changed metadata.name",
		"disown":      ": Internal error occurred: it changed metadata.uid",
		"wood":        "", // can be stored, but not be shown
	} {
		log.Reset()
		answer := do(t, api, "POST", betaCogs, betaCogBody(`{"toothCount":3,"metal":"`+metal+`"}`))
		require.Equal(t, 500, answer.Code, answer.Body)
		want := failed("v1beta1", "v1") + text
		if metal == "wood" {
			want = failed("v1", "v1beta1")
		}
		assert.Equal(t, want, answer.text(t, "message"), metal)
		assert.Equal(t, metal == "secret" || metal == "panic", strings.Contains(log.String(), cogSecret), log.String())
		require.Equal(t, 404, do(t, api, "GET", cogs+"/a", "").Code, "nothing is written")
	}

	require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":3,"material":"wood"}`)).Code)
	for _, c := range []struct{ method, target, body string }{
		{"GET", betaCogs + "/a", ""},
		{"GET", betaCogs, ""},
		{"GET", betaCogs + "?labelSelector=x", ""},
		{"DELETE", betaCogs + "?labelSelector=x", ""},
		{"PATCH", betaCogs + "/a", `{"spec":{"metal":"tin"}}`},
	} {
		answer := do(t, api, c.method, c.target, c.body, "Content-Type", typeMergePatch)
		require.Equal(t, 500, answer.Code, "%s %s: %s", c.method, c.target, answer.Body)
		assert.Equal(t, failed("v1", "v1beta1"), answer.text(t, "message"))
	}
	synctest.Test(t, func(t *testing.T) {
		api := newCogs(t)
		w := follow(t, api, betaCogs+"?watch=1&resourceVersion=1")
		require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":3,"material":"wood"}`)).Code)
		events := w.events()
		require.Len(t, events, 1)
		assert.Contains(t, events[0], `"type":"ERROR"`)
		assert.Contains(t, events[0], "conversion of Cog.example.com")
		assert.True(t, w.ended())
	})
	assert.Equal(t, "wood", must(t, api, "GET", cogs+"/a", "").text(t, "spec.material"))
	require.Equal(t, 200, do(t, api, "DELETE", betaCogs+"/a", "").Code, "what cannot be shown can be deleted")
}

func TestAVersionThatIsDeprecatedOrNotServed(t *testing.T) {
	api := newCogs(t, func(r *rest.Resource[Cog]) {
		alpha := rest.Resource[CogV1alpha1]{Version: "v1alpha1", Stage: rest.Stage{NotServed: true}}
		beta := betaCogResource()
		beta.Stage.Warning = `write "v1"`
		r.Versions = []rest.VersionOf[Cog]{rest.Converted(beta, cogToV1, cogFromV1), rest.Converted[Cog](alpha, nil, nil)}
	})
	require.Equal(t, 201, do(t, api, "POST", cogs, cogBody(`{"teeth":3}`)).Code)
	for target, warnings := range map[string][]string{
		cogs: nil, cogs + "/a": nil,
		betaCogs: {`299 - "write \"v1\""`}, betaCogs + "/a": {`299 - "write \"v1\""`}, betaCogs + "/none": {`299 - "write \"v1\""`},
	} {
		assert.Equal(t, warnings, do(t, api, "GET", target, "").Header.Values("Warning"), target)
	}
	assert.Equal(t, []string{`299 - "example.com/v1beta1 Cog is deprecated"`}, do(t, newCogs(t), "GET", betaCogs, "").Header.Values("Warning"))

	require.Equal(t, 404, do(t, api, "GET", alphaCogs+"/a", "").Code)
	require.Equal(t, 404, do(t, api, "GET", "/apis/example.com/v1alpha1", "").Code)
	in, err := clientFor[CogV1alpha1](t, api).Namespace("default").Get(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, 3, in.Spec.Teeth)
}

func TestTypedClientsOfSeveralVersions(t *testing.T) {
	api := newCogs(t)
	v1, beta := clientFor[Cog](t, api).Namespace("default"), clientFor[CogV1beta1](t, api).Namespace("default")
	made, err := beta.Create(t.Context(), &CogV1beta1{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: CogV1beta1Spec{ToothCount: 5}})
	require.NoError(t, err)
	assert.Equal(t, "example.com/v1beta1", made.APIVersion)
	assert.Equal(t, "iron", made.Spec.Metal)
	stored, err := v1.Modify(t.Context(), "a", func(c *Cog) error {
		c.Spec.Teeth++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, CogSpec{Teeth: 6, Material: "iron"}, stored.Spec)
	_, err = beta.Update(t.Context(), made)
	assert.True(t, status.IsConflict(err), "the versions share the resourceVersion: %v", err)
	page, err := beta.List(t.Context(), rest.ListOptions{FieldSelector: "spec.metal=iron"})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.EqualValues(t, 6, page.Items[0].Spec.ToothCount)
	for event, err := range beta.Watch(t.Context(), rest.WatchOptions{}) {
		require.NoError(t, err)
		assert.EqualValues(t, 6, event.Object.Spec.ToothCount)
		break
	}
}

// The dialect is that of the kind: in each version lists leave out the kind of their items, and patches may be strategic.
func TestVersionsOfABuiltinKind(t *testing.T) {
	api := newCogs(t, func(r *rest.Resource[Cog]) { r.Wire.Dialect = rest.DialectBuiltin })
	require.Equal(t, 201, do(t, api, "POST", betaCogs, `{"metadata":{"name":"a"},"spec":{"toothCount":5}}`).Code)
	patched := do(t, api, "PATCH", betaCogs+"/a", `{"metadata":{"finalizers":["example.com/a"]},"spec":{"oiled":true}}`, "Content-Type", "application/strategic-merge-patch+json")
	require.Equal(t, 200, patched.Code, patched.Body)
	assert.Equal(t, map[string]any{"toothCount": 5.0, "metal": "iron", "oiled": true}, patched.value(t, "spec"))
	for target, spec := range map[string]string{betaCogs: `{"metal":"iron","oiled":true,"toothCount":5}`, cogs: `{"material":"iron","teeth":5}`} {
		list := must(t, api, "GET", target, "")
		assert.Equal(t, "CogList", list.text(t, "kind"))
		assert.Nil(t, list.value(t, "items.0.kind"))
		assert.Nil(t, list.value(t, "items.0.apiVersion"))
		assert.Contains(t, list.Body, spec)
	}
	wantFailure(t, do(t, api, "PUT", betaCogs+"/a", cogBody(`{"teeth":4}`)), 400, "BadRequest",
		"the API version in the data (example.com/v1) does not match the expected API version (example.com/v1beta1)", "")
}
