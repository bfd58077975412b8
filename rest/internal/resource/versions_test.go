package resource_test

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
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestReadInEachVersion(t *testing.T) {
	for _, c := range []struct {
		name, target string
		want         apitest.StoredCog
	}{
		{"as stored", apitest.Cogs, apitest.StoredCog{Spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"converted", apitest.BetaCogs,
			apitest.StoredCog{Version: "v1beta1", Metadata: `"annotations":{"example.com/note":"oil me"}`,
				Spec: `{"toothCount":12,"metal":"steel"}`}},
		{"by a common field", apitest.AlphaCogs, apitest.StoredCog{Version: "v1alpha1", Spec: `{"teeth":12}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.NewCogs(t)
				w := apitest.OpenWatch(t, api, c.target+"?watch=1&resourceVersion=1")
				require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs,
					apitest.CogBody(`{"teeth":12,"note":"oil me"}`)).Code)
				item := c.want.String()
				apitest.WantJSON(t, apitest.Do(t, api, "GET", c.target+"/a", ""), 200, item)
				list := `"metadata":{"resourceVersion":"2","continue":""},"items":[` + item + `]}`
				version := strings.Split(c.target, "/")[3]
				apitest.WantJSON(t, apitest.Do(t, api, "GET", c.target, ""), 200,
					`{"apiVersion":"example.com/`+version+`","kind":"CogList",`+list)
				w.Want(apitest.Event("ADDED", item))
				apitest.OpenWatch(t, api, c.target+"?watch=1").Want(apitest.Event("ADDED", item))
				apitest.Must(t, api, "DELETE", apitest.Cogs+"/a", "")
				c.want.Rv = "3"
				w.Want(apitest.Event("DELETED", c.want.String()))
			})
		})
	}
}

func TestWriteTakesTheVersionOfItsRequest(t *testing.T) {
	const note = `"annotations":{"example.com/note":"oil me"}`
	begin := apitest.CogBody(`{"teeth":12,"note":"oil me"}`)
	for _, c := range []struct {
		name, method, target, contentType, body string
		code                                    int
		answer, stored                          apitest.StoredCog
	}{
		{"create, with the version's defaults", "POST", apitest.BetaCogs, "", apitest.BetaCogBody(`{"toothCount":8}`), 201,
			apitest.StoredCog{Version: "v1beta1", Spec: `{"toothCount":8,"metal":"iron"}`},
			apitest.StoredCog{Spec: `{"teeth":8,"material":"iron"}`}},
		{"create with a null function", "POST", apitest.AlphaCogs, "",
			`{"apiVersion":"example.com/v1alpha1","kind":"Cog","metadata":{"name":"a"},"spec":{"teeth":3}}`, 201,
			apitest.StoredCog{Version: "v1alpha1", Spec: `{"teeth":3}`},
			apitest.StoredCog{Spec: `{"teeth":3,"material":"steel"}`}},
		{"put", "PUT", apitest.BetaCogs + "/a", "",
			`{"apiVersion":"example.com/v1beta1","kind":"Cog","metadata":{"name":"a","resourceVersion":"2",` + note +
				`},"spec":{"toothCount":9,"metal":"tin"}}`, 200,
			apitest.StoredCog{Version: "v1beta1", Rv: "3", Generation: 2, Metadata: note,
				Spec: `{"toothCount":9,"metal":"tin"}`},
			apitest.StoredCog{Rv: "3", Generation: 2, Spec: `{"teeth":9,"material":"tin","note":"oil me"}`}},
		{"merge patch", "PATCH", apitest.BetaCogs + "/a", apitest.TypeMergePatch, `{"spec":{"oiled":true}}`, 200,
			apitest.StoredCog{Version: "v1beta1", Rv: "3", Generation: 2, Metadata: note,
				Spec: `{"toothCount":12,"metal":"steel","oiled":true}`},
			apitest.StoredCog{Rv: "3", Generation: 2, Metadata: `"annotations":{"example.com/oiled":"true"}`,
				Spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"JSON patch", "PATCH", apitest.BetaCogs + "/a", apitest.TypeJSONPatch,
			`[{"op":"test","path":"/spec/toothCount","value":12},{"op":"replace","path":"/spec/metal","value":"tin"}]`, 200,
			apitest.StoredCog{Version: "v1beta1", Rv: "3", Generation: 2, Metadata: note,
				Spec: `{"toothCount":12,"metal":"tin"}`},
			apitest.StoredCog{Rv: "3", Generation: 2, Spec: `{"teeth":12,"material":"tin","note":"oil me"}`}},
		{"status", "PATCH", apitest.BetaCogs + "/a/status", apitest.TypeMergePatch,
			`{"spec":{"metal":"tin"},"status":{"rotations":7}}`, 200,
			apitest.StoredCog{Version: "v1beta1", Rv: "3", Metadata: note, Spec: `{"toothCount":12,"metal":"steel"}`,
				Status: `{"rotations":7}`},
			apitest.StoredCog{Rv: "3", Spec: `{"teeth":12,"material":"steel","note":"oil me"}`, Status: `{"turns":7}`}},
		{"dry run", "PATCH", apitest.BetaCogs + "/a?dryRun=All", apitest.TypeMergePatch, `{"spec":{"metal":"tin"}}`, 200,
			apitest.StoredCog{Version: "v1beta1", Generation: 2, Metadata: note, Spec: `{"toothCount":12,"metal":"tin"}`},
			apitest.StoredCog{Spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
		{"nothing new", "PATCH", apitest.BetaCogs + "/a", apitest.TypeMergePatch, `{"spec":{"metal":"steel"}}`, 200,
			apitest.StoredCog{Version: "v1beta1", Metadata: note, Spec: `{"toothCount":12,"metal":"steel"}`},
			apitest.StoredCog{Spec: `{"teeth":12,"material":"steel","note":"oil me"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewCogs(t)
			if c.method != "POST" {
				require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, begin).Code)
			}
			apitest.WantJSON(t, apitest.Do(t, api, c.method, c.target, c.body, "Content-Type",
				cmp.Or(c.contentType, "application/json")), c.code, c.answer.String())
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Cogs+"/a", ""), 200, c.stored.String())
		})
	}
}

// A version that has no words for something must not lose it for the others.
func TestWriteKeepsFieldsThatItsVersionLacks(t *testing.T) {
	api := apitest.NewCogs(t)
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs,
		apitest.CogBody(`{"teeth":12,"material":"tin","note":"oil me"}`)).Code)
	apitest.Must(t, api, "PATCH", apitest.Cogs+"/a/status", `{"status":{"turns":7}}`, "Content-Type",
		apitest.TypeMergePatch)
	apitest.Must(t, api, "PATCH", apitest.AlphaCogs+"/a", `{"spec":{"teeth":3}}`, "Content-Type", apitest.TypeMergePatch)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Cogs+"/a", ""), 200,
		apitest.StoredCog{Rv: "4", Generation: 2, Spec: `{"teeth":3,"material":"tin","note":"oil me"}`,
			Status: `{"turns":7}`}.String())
	put := apitest.Do(t, api, "PUT", apitest.AlphaCogs+"/a",
		`{"apiVersion":"example.com/v1alpha1","kind":"Cog","metadata":{"name":"a","resourceVersion":"4","labels":{"x":"y"}},"spec":{"teeth":4}}`)
	apitest.WantJSON(t, put, 200,
		apitest.StoredCog{Version: "v1alpha1", Rv: "5", Generation: 3, Metadata: `"labels":{"x":"y"}`,
			Spec: `{"teeth":4}`}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Cogs+"/a", ""), 200,
		apitest.StoredCog{Rv: "5", Generation: 3, Metadata: `"labels":{"x":"y"}`,
			Spec: `{"teeth":4,"material":"tin","note":"oil me"}`, Status: `{"turns":7}`}.String())
}

// Beam has a width in millimeters. Its older version counts in centimeters.
type Beam struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               BeamSpec `json:"spec"`
}

type BeamSpec struct {
	WidthMillimeters int32 `json:"widthMillimeters" api:"min=1"`
}

type BeamV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		WidthCm int32 `json:"widthCm" api:"min=1"`
	} `json:"spec"`
}

// Millimeters are centimeters in the older version of the example, which rounds them.
func TestRoundedValueStaysUnlessTheClientChangesIt(t *testing.T) {
	beams := rest.Resource[Beam]{Group: "example.com", Version: "v1", Plural: "beams", Versions: []rest.VersionOf[Beam]{
		rest.Converted(rest.Resource[BeamV1beta1]{Version: "v1beta1"},
			func(in *BeamV1beta1, out *Beam) error {
				out.Spec.WidthMillimeters = 10 * in.Spec.WidthCm
				return nil
			},
			func(in *Beam, out *BeamV1beta1) error {
				out.Spec.WidthCm = in.Spec.WidthMillimeters / 10
				return nil
			})}}
	api := apitest.New(t, rest.Options{}, beams)
	stored := apitest.ClientFor[Beam](t, api).Namespace("default")
	_, err := stored.Create(t.Context(),
		&Beam{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: BeamSpec{WidthMillimeters: 805}})
	require.NoError(t, err)
	for _, c := range []struct {
		patch string
		want  int32
	}{{`{"metadata":{"labels":{"x":"y"}}}`, 805}, {`{"spec":{"widthCm":80}}`, 805}, {`{"spec":{"widthCm":81}}`, 810}} {
		apitest.Must(t, api, "PATCH", "/apis/example.com/v1beta1/namespaces/default/beams/a", c.patch, "Content-Type",
			apitest.TypeMergePatch)
		beam, err := stored.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, c.want, beam.Spec.WidthMillimeters, c.patch)
	}
}

func TestEachVersionHasItsOwnRules(t *testing.T) {
	api := apitest.NewCogs(t)
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":1}`)),
		"Cog.example.com", "a", apitest.Invalid("spec.toothCount",
			"Invalid value: 1: spec.toothCount in body should be greater than or equal to 2"))
	answer := apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":3,"teeth":4}`))
	require.Equal(t, 201, answer.Code, answer.Body)
	assert.Contains(t, answer.Header.Values("Warning"), `299 - "unknown field \"spec.teeth\""`)
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.CogBody(`{"teeth":4}`)), 400, "BadRequest",
		"the API version in the data (example.com/v1) does not match the expected API version (example.com/v1beta1)", "")
}

func TestSelectorsUseTheVersionOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewCogs(t)
		w := apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1&resourceVersion=1&fieldSelector=spec.metal%3Dtin")
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":12,"material":"tin"}`)).Code)
		tin := apitest.StoredCog{Version: "v1beta1", Spec: `{"toothCount":12,"metal":"tin"}`}
		w.Want(apitest.Event("ADDED", tin.String()))
		for selector, names := range map[string][]string{
			"spec.metal=tin": {"a"}, "spec.metal=steel": {}, "spec.metal!=steel,metadata.name=a": {"a"},
		} {
			assert.Equal(t, names, apitest.Must(t, api, "GET",
				apitest.BetaCogs+"?fieldSelector="+strings.ReplaceAll(selector, "=", "%3D"), "").Names(t), selector)
		}
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.BetaCogs+"?fieldSelector=spec.material%3Dtin", ""), 400,
			"BadRequest", "field label not supported: spec.material", "")
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Cogs+"?fieldSelector=spec.metal%3Dtin", ""), 400,
			"BadRequest", "field label not supported: spec.metal", "")

		apitest.Must(t, api, "PATCH", apitest.Cogs+"/a", `{"spec":{"material":"steel"}}`, "Content-Type",
			apitest.TypeMergePatch)
		tin.Rv = "3"
		w.Want(apitest.Event("DELETED", tin.String()))
		assert.Equal(t, []string{"a"},
			apitest.Must(t, api, "GET", apitest.BetaCogs+"?fieldSelector=spec.metal%3Dsteel", "").Names(t))
	})
}

func TestRepresentationsOfAConvertedObject(t *testing.T) {
	api := apitest.NewCogs(t)
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":12,"note":"oil me"}`)).Code)
	const metadata = `{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2","generation":1,"creationTimestamp":"` +
		apitest.NowText + `","annotations":{"example.com/note":"oil me"}}`
	const partial = `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":` + metadata + `}`
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.BetaCogs+"/a", "", "Accept", apitest.AcceptPartial), 200,
		partial)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.BetaCogs, "", "Accept", apitest.AcceptPartials), 200,
		`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"2"},"items":[`+
			partial+`]}`)
	for _, target := range []string{apitest.BetaCogs, apitest.BetaCogs + "/a"} {
		a := apitest.Must(t, api, "GET", target, "", "Accept", apitest.AcceptTable)
		assert.Equal(t, "Metal", a.Value(t, "columnDefinitions.1.name"), a.Body)
		assert.Equal(t, "steel", a.Value(t, "rows.0.cells.1"))
	}
	scale := apitest.Must(t, api, "GET", apitest.BetaCogs+"/a/scale", "")
	assert.EqualValues(t, "12", fmt.Sprint(scale.Value(t, "spec.replicas")))
	apitest.Must(t, api, "PATCH", apitest.BetaCogs+"/a/scale", `{"spec":{"replicas":20}}`, "Content-Type",
		apitest.TypeMergePatch)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Cogs+"/a", ""), 200,
		apitest.StoredCog{Rv: "3", Generation: 2, Spec: `{"teeth":20,"material":"steel","note":"oil me"}`}.String())
}

// A version that declares no columns has those of the stored one that find a value of the same type in it.
func TestColumnsInAnotherVersion(t *testing.T) {
	declared := []rest.Column{
		{Name: "Teeth", Type: "integer", Path: ".spec.teeth"},
		{Name: "Metal", Path: ".spec.material"},
		{Name: "Turns", Type: "integer", Path: ".status.turns", Priority: 1},
		rest.ColumnFunc(rest.Column{Name: "Size"}, func(*apitest.Cog) any { return "large" }),
		{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
	}
	headings := func(api *rest.API, target string) (names []string) {
		a := apitest.Must(t, api, "GET", target, "", "Accept", apitest.AcceptTable)
		for _, c := range a.Value(t, "columnDefinitions").([]any) {
			names = append(names, c.(map[string]any)["name"].(string))
		}
		return names
	}
	withBeta := func(columns, beta []rest.Column) *rest.API {
		return apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) {
			b := apitest.BetaCogResource()
			b.Columns = beta
			r.Columns = columns
			r.Versions[0] = rest.Converted(b, apitest.CogToV1, apitest.CogFromV1)
		})
	}
	api := withBeta(declared, nil)
	assert.Equal(t, []string{"Name", "Teeth", "Metal", "Turns", "Size", "Age"}, headings(api, apitest.Cogs))
	assert.Equal(t, []string{"Name", "Age"}, headings(api, apitest.BetaCogs), "it calls teeth and material otherwise")
	assert.Equal(t, []string{"Name", "Teeth", "Age"}, headings(api, apitest.AlphaCogs))
	apitest.Must(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":12}`))
	assert.EqualValues(t, 12, apitest.Must(t, api, "GET", apitest.AlphaCogs+"/a", "", "Accept",
		apitest.AcceptTable).Value(t, "rows.0.cells.1"))

	api = withBeta([]rest.Column{{Name: "Teeth", Type: "integer", Path: ".spec.teeth"}},
		[]rest.Column{{Name: "Metal", Path: ".spec.metal"}})
	assert.Equal(t, []string{"Name", "Metal"}, headings(api, apitest.BetaCogs), "its own")
	assert.Equal(t, []string{"Name", "Teeth"}, headings(api, apitest.AlphaCogs))

	api = withBeta([]rest.Column{{Name: "Metal", Path: ".spec.material"}}, nil)
	assert.Equal(t, []string{"Name", "Age"}, headings(api, apitest.AlphaCogs),
		"where none fits the columns are those of a kind without any")
	assert.Equal(t, []string{"Name", "Age"}, headings(withBeta(nil, nil), apitest.AlphaCogs))

	// A field of another type is another field.
	type lettered struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Teeth string `json:"teeth"`
		} `json:"spec"`
	}
	api = apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) {
		r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(rest.Resource[lettered]{Version: "v1beta1"},
			func(*lettered, *apitest.Cog) error { return nil }, func(*apitest.Cog, *lettered) error { return nil })}
	})
	assert.Equal(t, []string{"Name", "Age"}, headings(api, apitest.BetaCogs))
}

func TestDeletionThroughAnotherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewCogs(t)
		body := `{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"teeth":12}}`
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, body).Code)
		w := apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1&resourceVersion=2")
		dying := apitest.StoredCog{Version: "v1beta1", Generation: 2, Metadata: apitest.BeingDeleted("example.com/f"),
			Spec: `{"toothCount":12,"metal":"steel"}`}
		apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a?dryRun=All", ""), 200, dying.String())
		dying.Rv = "3"
		apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a", ""), 200, dying.String())
		w.Want(apitest.Event("MODIFIED", dying.String()))
		dying.Metadata = apitest.BeingDeleted()
		answer := apitest.Do(t, api, "PATCH", apitest.BetaCogs+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type",
			apitest.TypeMergePatch)
		require.Equal(t, 200, answer.Code, answer.Body)
		assert.Equal(t, "example.com/v1beta1", answer.Text(t, "apiVersion"))
		require.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Cogs+"/a", "").Code)

		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":12}`)).Code)
		gone := apitest.Must(t, api, "DELETE", apitest.BetaCogs, "")
		assert.Equal(t, []string{"a"}, gone.Names(t))
		assert.Equal(t, "example.com/v1beta1", gone.Text(t, "apiVersion"))
	})
}

func TestFailedConversion(t *testing.T) {
	var log bytes.Buffer
	api := apitest.New(t, rest.Options{Logger: apitest.LoggerTo(&log)}, apitest.CogResource())
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
		answer := apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":3,"metal":"`+metal+`"}`))
		require.Equal(t, 500, answer.Code, answer.Body)
		want := failed("v1beta1", "v1") + text
		if metal == "wood" {
			want = failed("v1", "v1beta1")
		}
		assert.Equal(t, want, answer.Text(t, "message"), metal)
		assert.Equal(t, metal == "secret" || metal == "panic", strings.Contains(log.String(), apitest.CogSecret),
			log.String())
		require.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Cogs+"/a", "").Code, "nothing is written")
	}

	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":3,"material":"wood"}`)).Code)
	for _, c := range []struct{ method, target, body string }{
		{"GET", apitest.BetaCogs + "/a", ""},
		{"GET", apitest.BetaCogs, ""},
		{"GET", apitest.BetaCogs + "?labelSelector=x", ""},
		{"DELETE", apitest.BetaCogs + "?labelSelector=x", ""},
		{"PATCH", apitest.BetaCogs + "/a", `{"spec":{"metal":"tin"}}`},
	} {
		answer := apitest.Do(t, api, c.method, c.target, c.body, "Content-Type", apitest.TypeMergePatch)
		require.Equal(t, 500, answer.Code, "%s %s: %s", c.method, c.target, answer.Body)
		assert.Equal(t, failed("v1", "v1beta1"), answer.Text(t, "message"))
	}
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewCogs(t)
		w := apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1&resourceVersion=1")
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":3,"material":"wood"}`)).Code)
		events := w.Events()
		require.Len(t, events, 1)
		assert.Contains(t, events[0], `"type":"ERROR"`)
		assert.Contains(t, events[0], "conversion of Cog.example.com")
		assert.True(t, w.Ended())
	})
	assert.Equal(t, "wood", apitest.Must(t, api, "GET", apitest.Cogs+"/a", "").Text(t, "spec.material"))
	require.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a", "").Code,
		"what cannot be shown can be deleted")
}

func TestDeprecatedAndUnservedVersions(t *testing.T) {
	api := apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) {
		alpha := rest.Resource[apitest.CogV1alpha1]{Version: "v1alpha1", Stage: rest.Stage{NotServed: true}}
		beta := apitest.BetaCogResource()
		beta.Stage.Warning = `write "v1"`
		r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(beta, apitest.CogToV1, apitest.CogFromV1),
			rest.Converted[apitest.Cog](alpha, nil, nil)}
	})
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":3}`)).Code)
	for target, warnings := range map[string][]string{
		apitest.Cogs: nil, apitest.Cogs + "/a": nil,
		apitest.BetaCogs: {`299 - "write \"v1\""`}, apitest.BetaCogs + "/a": {`299 - "write \"v1\""`},
		apitest.BetaCogs + "/none": {`299 - "write \"v1\""`},
	} {
		assert.Equal(t, warnings, apitest.Do(t, api, "GET", target, "").Header.Values("Warning"), target)
	}
	assert.Equal(t, []string{`299 - "example.com/v1beta1 Cog is deprecated"`},
		apitest.Do(t, apitest.NewCogs(t), "GET", apitest.BetaCogs, "").Header.Values("Warning"))

	require.Equal(t, 404, apitest.Do(t, api, "GET", apitest.AlphaCogs+"/a", "").Code)
	require.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/example.com/v1alpha1", "").Code)
	in, err := apitest.ClientFor[apitest.CogV1alpha1](t, api).Namespace("default").Get(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, 3, in.Spec.Teeth)
}

func TestTypedClientsOfSeveralVersions(t *testing.T) {
	api := apitest.NewCogs(t)
	v1, beta := apitest.ClientFor[apitest.Cog](t, api).Namespace("default"),
		apitest.ClientFor[apitest.CogV1beta1](t, api).Namespace("default")
	made, err := beta.Create(t.Context(),
		&apitest.CogV1beta1{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.CogV1beta1Spec{ToothCount: 5}})
	require.NoError(t, err)
	assert.Equal(t, "example.com/v1beta1", made.APIVersion)
	assert.Equal(t, "iron", made.Spec.Metal)
	stored, err := v1.Modify(t.Context(), "a", func(c *apitest.Cog) error {
		c.Spec.Teeth++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, apitest.CogSpec{Teeth: 6, Material: "iron"}, stored.Spec)
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

// The dialect is that of the kind: in each version lists leave out the kind of their items, and patches may be
// strategic.
func TestVersionsOfABuiltinKind(t *testing.T) {
	api := apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) { r.Wire.Dialect = rest.DialectBuiltin })
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs,
		`{"metadata":{"name":"a"},"spec":{"toothCount":5}}`).Code)
	patched := apitest.Do(t, api, "PATCH", apitest.BetaCogs+"/a",
		`{"metadata":{"finalizers":["example.com/a"]},"spec":{"oiled":true}}`, "Content-Type",
		"application/strategic-merge-patch+json")
	require.Equal(t, 200, patched.Code, patched.Body)
	assert.Equal(t, map[string]any{"toothCount": 5.0, "metal": "iron", "oiled": true}, patched.Value(t, "spec"))
	for target, spec := range map[string]string{apitest.BetaCogs: `{"metal":"iron","oiled":true,"toothCount":5}`,
		apitest.Cogs: `{"material":"iron","teeth":5}`} {
		list := apitest.Must(t, api, "GET", target, "")
		assert.Equal(t, "CogList", list.Text(t, "kind"))
		assert.Nil(t, list.Value(t, "items.0.kind"))
		assert.Nil(t, list.Value(t, "items.0.apiVersion"))
		assert.Contains(t, list.Body, spec)
	}
	apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.BetaCogs+"/a", apitest.CogBody(`{"teeth":4}`)), 400,
		"BadRequest", "the API version in the data (example.com/v1) does not match the expected API version (example.com/v1beta1)", "")
}
