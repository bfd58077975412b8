package oracle

import (
	"context"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
)

// bothAPIs serve the kind of one definition: that of kube-apiserver and ours.
type bothAPIs struct{ upstream, ours http.Handler }

// newDefinitionsAPI returns an API of ours that serves the kinds of definitions.
func newDefinitionsAPI(t testing.TB) *rest.API {
	t.Helper()
	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{crd.New(crd.Options{})}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	return api
}

func newBothAPIs(t *testing.T, definition []byte) bothAPIs {
	api := newDefinitionsAPI(t)
	r := httptest.NewRequest("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		strings.NewReader(string(definition)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	require.Equal(t, http.StatusCreated, w.Code, "%s", w.Body)
	awaitEstablished(t, api)
	return bothAPIs{newUpstreamAPI(t, definition), api}
}

// awaitEstablished waits until the API serves the kind of its only definition.
func awaitEstablished(t *testing.T, api *rest.API) {
	ctx, cancel := context.WithTimeout(t.Context(), hangtest.Deadline)
	defer cancel()
	for event, err := range resttest.Client[apiextensions.CustomResourceDefinition](t, api).Follow(ctx,
		rest.WatchOptions{}) {
		require.NoError(t, err)
		if event.Object.Is(apiextensions.Established) {
			return
		}
	}
}

// call is a request about the kind things. A PUT gets the current resourceVersion of the object. The query asTable asks
// for a Table.
type call struct{ method, path, body string }

func (c call) String() string { return c.method + " " + c.path + " " + c.body }

const thingsBelow = "/apis/example.com/"

// send returns the answer of one API, without what no two servers have in common.
func (c call) send(t *testing.T, api http.Handler) (code int, answer string) {
	if c.method == "PUT" {
		_, current := call{"GET", c.path, ""}.plain(t, api)
		metadata, _ := current["metadata"].(object)
		c.body = strings.Replace(c.body, `"metadata":{`,
			fmt.Sprintf(`"metadata":{"resourceVersion":%q,`, metadata["resourceVersion"]), 1)
	}
	code, body := c.plain(t, api)
	items, isList := body["items"].([]any)
	if isList {
		delete(body, "metadata")
	}
	slices.SortFunc(items, func(a, b any) int { return strings.Compare(asJSON(t, a), asJSON(t, b)) })
	rows, _ := body["rows"].([]any)
	for _, row := range rows {
		items = append(items, row.(object)["object"])
	}
	for _, o := range append(items, body) {
		if metadata, ok := o.(object)["metadata"].(object); ok {
			for _, name := range []string{"uid", "creationTimestamp", "resourceVersion", "managedFields", "generation"} {
				delete(metadata, name)
			}
		}
	}
	if details, ok := body["details"].(object); ok && body["kind"] == "Status" {
		causes, _ := details["causes"].([]any)
		slices.SortFunc(causes, func(a, b any) int { return strings.Compare(asJSON(t, a), asJSON(t, b)) })
		delete(details, "uid")
		if len(causes) > 1 {
			delete(body, "message") // the message lists the causes in any order
		}
	}
	return code, asJSON(t, body)
}

func (c call) plain(t *testing.T, api http.Handler) (code int, body object) {
	r := httptest.NewRequest(c.method, thingsBelow+c.path, strings.NewReader(c.body))
	r.Header.Set("Content-Type", "application/json")
	if c.method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	r.Header.Set("Accept", "application/json")
	if strings.Contains(c.path, "asTable") {
		r.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	require.NoError(t, utiljson.Unmarshal(w.Body.Bytes(), &body), "%v: %s", c, w.Body)
	return w.Code, body
}

// compare sends the calls to both APIs, which must answer alike.
func (b bothAPIs) compare(t *testing.T, calls ...call) {
	for _, c := range calls {
		wantCode, want := c.send(t, b.upstream)
		code, got := c.send(t, b.ours)
		assert.Equal(t, wantCode, code, "%v", c)
		assert.Equal(t, want, got, "%v", c)
	}
}

const anyStatus = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`

// twoVersions returns a definition of things whose versions v1, which is stored, and v2 have these schemas of the field
// spec.
func twoVersions(v1, v2 string) []byte {
	version := func(name, spec, more string) string {
		return `{"name":"` + name + `","served":true` + more +
			`,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":` + spec +
			`,"status":` + anyStatus + `}}}}`
	}
	return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"versions":[` +
		version("v1", v1,
			`,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}}`) + `,` +
		version("v2", v2, `,"storage":false,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.count","statusReplicasPath":".status.count"}}`) + `]}}`)
}

func thing(version, rest string) string {
	return `{"apiVersion":"example.com/` + version + `","kind":"Thing","metadata":{"name":"a"}` + rest + `}`
}

// Without a conversion, an object is pruned by the schema of the version that stores it and of the version that shows
// it.
func TestVersionsWithoutConversion(t *testing.T) {
	one := "v1/namespaces/default/things"
	two := "v2/namespaces/default/things"
	look := []call{{"GET", one + "/a", ""}, {"GET", two + "/a", ""}, {"GET", one, ""}, {"GET", two, ""}}
	for _, c := range []struct {
		name, v1, v2 string
		calls        []call
	}{
		{"a field of each", `{"type":"object","properties":{"a":{"type":"string"},"one":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"two":{"type":"string"}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{"a":"x","one":"y","two":"z"}`)},
				{"PUT", two + "/a", thing("v2", `,"spec":{"a":"x2","two":"z"}`)},
				{"PATCH", one + "/a", `{"spec":{"one":"y"}}`},
				{"PATCH", two + "/a", `{"spec":{"a":"x3"}}`},
				{"PATCH", one + "/a", `{"spec":{"one":"y"}}`},
				{"PATCH", two + "/a", `{"spec":{"two":"x3"}}`},
				{"PATCH", two + "/a/status", `{"status":{"x":"x3"}}`},
				{"PATCH", one + "/a", `{"spec":{"one":"y"}}`},
				{"PATCH", two + "/a", `{"metadata":{"labels":{"x":"y"}}}`},
			}},
		{"a default of each",
			`{"type":"object","default":{},"properties":{"a":{"type":"string","default":"1"},"one":{"type":"string","default":"1"}}}`,
			`{"type":"object","default":{},"properties":{"a":{"type":"string","default":"2"},"two":{"type":"string","default":"2"}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{}`)},
				{"DELETE", one + "/a", ""},
				{"POST", two, thing("v2", `,"spec":{}`)},
				{"PATCH", two + "/a", `{"spec":{"a":null}}`},
				{"PATCH", one + "/a", `{"spec":{"a":null}}`},
				{"PUT", two + "/a", thing("v2", ``)},
			}},
		{"other types", `{"type":"object","properties":{"a":{"type":"string","maxLength":2}}}`,
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{"a":"x"}`)},
				{"PATCH", two + "/a", `{"spec":{"b":"x"}}`},
				{"PATCH", two + "/a", `{"spec":{"a":5}}`},
				{"PATCH", one + "/a", `{"metadata":{"labels":{"x":"y"}}}`},
				{"PATCH", one + "/a", `{"spec":{"a":"xyz"}}`},
			}},
		{"bounds", `{"type":"object","properties":{"a":{"type":"integer","maximum":5}}}`,
			`{"type":"object","properties":{"a":{"type":"integer"}}}`, []call{
				{"POST", two, thing("v2", `,"spec":{"a":7}`)},
				{"PATCH", one + "/a", `{"metadata":{"labels":{"x":"y"}}}`},
				{"PATCH", one + "/a", `{"spec":{"a":8}}`},
			}},
		{"nulls",
			`{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"string","nullable":true},"c":{"type":"string"},"d":{"type":"string","default":"d"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"b"},"c":{"type":"string","nullable":true},"d":{"type":"string","nullable":true}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{"a":null,"b":null,"c":null,"d":null}`)},
				{"PATCH", two + "/a", `{"metadata":{"labels":{"x":"y"}}}`},
				{"PUT", two + "/a", thing("v2", `,"spec":{"a":null,"b":null,"c":null,"d":null}`)},
			}},
		{"scale", `{"type":"object","properties":{"replicas":{"type":"integer"},"count":{"type":"integer"}}}`,
			`{"type":"object","properties":{"replicas":{"type":"integer"},"count":{"type":"integer"}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{"replicas":2,"count":3}`)},
				{"GET", one + "/a/scale", ""}, {"GET", two + "/a/scale", ""},
				{"PATCH", two + "/a/scale", `{"spec":{"replicas":7}}`},
				{"PATCH", one + "/a/scale", `{"spec":{"replicas":8}}`},
			}},
		{"scale of a field that is not stored", `{"type":"object","properties":{"replicas":{"type":"integer"}}}`,
			`{"type":"object","properties":{"count":{"type":"integer","default":4}}}`, []call{
				{"POST", one, thing("v1", `,"spec":{"replicas":2}`)},
				{"GET", one + "/a/scale", ""}, {"GET", two + "/a/scale", ""},
				{"PATCH", two + "/a/scale", `{"spec":{"replicas":7}}`},
				{"GET", two + "/a/scale", ""},
				{"PATCH", one + "/a/scale", `{"spec":{"replicas":8}}`},
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBothAPIs(t, twoVersions(c.v1, c.v2))
			for _, one := range c.calls {
				b.compare(t, one)
				b.compare(t, look...)
			}
		})
	}
}

// Each version has its own columns and selectable fields, of the object as the version shows it.
func TestColumnsAndSelectableFieldsOfVersions(t *testing.T) {
	definition := string(twoVersions(`{"type":"object","properties":{"a":{"type":"string","default":"one"},"n":{"type":"integer"},"x":{"type":"boolean"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","default":"two"},"b":{"type":"string","default":"b"},"n":{"type":"string"},"x":{"type":"boolean"}}}`))
	column := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"type":"string","jsonPath":".spec.%s"}`, name, name)
	}
	for version, more := range map[string]string{
		"v1": fmt.Sprintf(`"additionalPrinterColumns":[%s,%s],"selectableFields":[{"jsonPath":".spec.a"},{"jsonPath":".spec.n"}]`, column("a"), column("n")),
		"v2": fmt.Sprintf(`"additionalPrinterColumns":[%s,%s,%s],"selectableFields":[{"jsonPath":".spec.b"},{"jsonPath":".spec.x"}]`, column("b"),
			column("n"), column("x")),
	} {
		definition = strings.Replace(definition, `{"name":"`+version+`",`, `{"name":"`+version+`",`+more+`,`, 1)
	}
	b := newBothAPIs(t, []byte(definition))
	one, two := "v1/namespaces/default/things", "v2/namespaces/default/things"
	b.compare(t, call{"POST", one, thing("v1", `,"spec":{"n":5,"x":true}`)})
	for _, query := range []string{"asTable", "fieldSelector=spec.a%3Done", "fieldSelector=spec.a%3Dtwo",
		"fieldSelector=spec.n%3D5", "fieldSelector=spec.b%3Db", "fieldSelector=spec.b%3D",
		"fieldSelector=spec.x%3Dtrue", "fieldSelector=spec.x%21%3Dtrue", "fieldSelector=spec.nope%3D1",
		"fieldSelector=metadata.name%3Da"} {
		b.compare(t, call{"GET", one + "?" + query, ""}, call{"GET", two + "?" + query, ""})
	}
	b.compare(t, call{"GET", one + "/a?asTable", ""}, call{"GET", two + "/a?asTable", ""})
}

// randomStored returns the schema of an object with some of the fields a to d.
func randomStored(r *rand.Rand, depth int) object {
	properties := object{}
	for _, name := range []string{"a", "b", "c", "d"} {
		types := []string{"string", "integer", "list", "preserving"}
		if depth > 0 {
			types = append(types, "object", "object", "objects", "map")
		}
		var s object
		switch kind := pickText(r, types...); kind {
		case "list":
			s = object{"type": "array", "items": object{"type": "string", "nullable": oneIn(r, 2)}}
		case "preserving":
			s = object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		case "object":
			s = randomStored(r, depth-1)
		case "objects":
			s = object{"type": "array", "items": randomStored(r, depth-1)}
		case "map":
			s = object{"type": "object", "additionalProperties": randomStored(r, depth-1)}
		default:
			s = object{"type": kind}
		}
		if oneIn(r, 3) {
			s["nullable"] = true
		}
		if oneIn(r, 3) {
			s["default"] = map[string]any{"string": "a", "integer": int64(2), "object": object{}, "array": []any{}}[kindOf(s)]
		}
		if !oneIn(r, 4) {
			properties[name] = s
		}
	}
	return object{"type": "object", "properties": properties}
}

// Objects of random versions are stored, shown and refused as upstream does. Each write changes a label or a number
// of the status, because ours ignores a write that changes nothing.
func TestRandomVersionsWithoutConversion(t *testing.T) {
	rounds(t, 60, func(t *testing.T, r round) {
		schemas := map[string]object{"v1": randomStored(r.Rand, 1), "v2": randomStored(r.Rand, 1)}
		statuses := map[string]object{"v1": randomStored(r.Rand, 0), "v2": randomStored(r.Rand, 0)}
		definition := string(twoVersions(asJSON(t, schemas["v1"]), asJSON(t, schemas["v2"])))
		for _, version := range []string{"v1", "v2"} {
			statuses[version]["properties"].(object)["n"] = object{"type": "integer"}
			definition = strings.Replace(definition, anyStatus, asJSON(t, statuses[version]), 1)
		}
		b := newBothAPIs(t, []byte(definition))
		for i := range 8 {
			version := pickText(r.Rand, "v1", "v2")
			spec := asJSON(t, randomOpenValue(r.Rand, schemas[version]))
			labels := fmt.Sprintf(`"labels":{"n":"%d"}`, i)
			whole := fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Thing","metadata":{"name":"a",%s},"spec":%s}`, version,
				labels, spec)
			path := version + "/namespaces/default/things"
			switch r.Intn(4) {
			case 0:
				spec := bareLists(t, []byte(spec)) // a list that replaces a map keeps its nulls upstream
				b.compare(t, call{"PATCH", path + "/a", fmt.Sprintf(`{"metadata":{%s},"spec":%s}`, labels, spec)})
			case 1:
				status, _ := randomOpenValue(r.Rand, statuses[version]).(object)
				if status == nil {
					status = object{}
				}
				status["n"] = int64(i)
				b.compare(t, call{"PATCH", path + "/a/status",
					fmt.Sprintf(`{"status":%s}`, bareLists(t, []byte(asJSON(t, status))))})
			case 2:
				b.compare(t, call{"PUT", path + "/a", whole})
			default:
				b.compare(t, call{"POST", path, whole})
			}
			b.compare(t, call{"GET", "v1/namespaces/default/things", ""}, call{"GET", "v2/namespaces/default/things", ""})
			if t.Failed() {
				t.Log(definition)
				return
			}
		}
	})
}
