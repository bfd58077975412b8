package resource_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// widgetDocuments declares the kind of the transcripts without its Go struct, from its manifest.
func widgetDocuments(t testing.TB) rest.Resource[apimeta.Document] {
	t.Helper()
	of := widget.Resource()
	manifest, losses, err := crd.Manifest(of)
	require.NoError(t, err)
	require.Empty(t, losses)
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema json.RawMessage `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(manifest, &definition))
	of.Names.Kind = "Widget"
	return rest.Resource[apimeta.Document]{
		Group: of.Group, Version: of.Version, Plural: of.Plural, Names: of.Names, SelectableFields: of.SelectableFields,
		Scale: of.Scale, Columns: of.Columns,
		Schema: rest.Schema{OpenAPI: definition.Spec.Versions[0].Schema.OpenAPIV3Schema, Status: true},
	}
}

// exchange is a request to the widgets. A fragment of the path names the form of the answer. In the query, FIRST stands
// for the resourceVersion before all writes, and NEXT for the continue token of the last page.
type exchange struct{ method, path, media, body string }

// forms are the forms of answers, by the fragment of a path.
func forms() map[string]string {
	return map[string]string{
		"table":     "application/json;as=Table;g=meta.k8s.io;v=v1",
		"metadata":  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"metadatas": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "yaml": "application/yaml",
		"protobuf": "application/vnd.kubernetes.protobuf", "browser": "text/html, */*;q=0.1",
	}
}

// widgetHost is an API that serves the widgets.
type widgetHost struct {
	api         http.Handler
	first, next string
	seen        map[string]string // replaces what is different in each host
}

// newWidgetHost starts an API whose uids and resourceVersions have one length, and differ from all other texts and
// numbers.
func newWidgetHost(t *testing.T, definitions ...rest.Definition) *widgetHost {
	t.Helper()
	store := apitest.CloseAtEnd(t, memory.New(storage.Options{Start: 1_000_000_000}))
	uids := 0
	api := apitest.Start(t, rest.Options{Store: store, Logger: slog.New(slog.DiscardHandler), Now: apitest.Now,
		NewUID: func() string {
			uids++
			return fmt.Sprintf("uid-%06d", uids)
		}, Plugins: []rest.Plugin{crd.New(crd.Options{})}}, definitions...)
	require.NoError(t, api.Start(t.Context()))
	if len(definitions) == 0 {
		manifest, _, err := crd.Manifest(widget.Resource())
		require.NoError(t, err)
		apitest.Must(t, api, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", string(manifest),
			"Content-Type", "application/yaml")
		synctest.Wait()
	}
	return &widgetHost{api: api, first: apitest.Must(t, api, "GET", "/apis/example.com/v1/widgets", "").Text(t,
		"metadata.resourceVersion"), seen: map[string]string{}}
}

// peculiar matches what is different in each host: the uids and the resourceVersions.
var peculiar = regexp.MustCompile(`\b(uid-[0-9]{6}|1[0-9]{9})\b`)

// token matches the continue token of a page.
var token = regexp.MustCompile(`"continue":"([^"]*)"`)

// answer sends a request and returns the whole answer. It numbers uids and resourceVersions in the order in which they
// occur.
func (h *widgetHost) answer(t *testing.T, e exchange) string {
	t.Helper()
	path, form, _ := strings.Cut(e.path, "#")
	path = strings.NewReplacer("FIRST", h.first, "NEXT", h.next).Replace(path)
	headers := []string{"Accept", cmp.Or(forms()[form], "application/json")}
	if e.media != "" {
		headers = append(headers, "Content-Type", e.media)
	}
	a := apitest.Do(t, h.api, e.method, "/apis/example.com"+path, e.body, headers...)
	if found := token.FindStringSubmatch(a.Body); found != nil {
		h.next = found[1]
	}
	text := fmt.Sprintf("%d %v\n%s", a.Code, a.Header, token.ReplaceAllString(a.Body, `"continue":"..."`))
	return peculiar.ReplaceAllStringFunc(text, func(own string) string {
		if h.seen[own] == "" {
			h.seen[own] = fmt.Sprintf("<%d>", len(h.seen))
		}
		return h.seen[own]
	})
}

// wholeWidget is a widget with every field.
const wholeWidget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"NAME","labels":{"a":"b"}},"spec":{"size":3,"color":"green","owner":"jane","code":"abc","replicas":2,
	"big":7,"weight":1.5,"paused":true,"note":null,"port":"80%","tags":["a","b"],"steps":["x"],"parts":[{"name":"p","count":2,"kind":"bolt"},{"name":"q"}],"settings":{"k":"v"},
	"limits":{"l":"m"},"template":{"image":"i","args":["a"]},"extra":{"deep":{"er":[1]}}},"status":{"phase":"Ready","conditions":[{"type":"A","status":"True"}]}}`

// scrambled changes some places of a value at random, at first those of the spec and the status.
func scrambled(r *rand.Rand, v any, depth int) any {
	odd := []any{nil, "text", "", 7.0, -1.0, 2.5, 1e12, true, []any{}, []any{"a", "a"}, map[string]any{},
		map[string]any{"a": 1.0}}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) { // every run sends the same
			value := v[key]
			switch {
			case depth > 0 && r.IntN(12) == 0:
			case key != "metadata" && key != "apiVersion" && key != "kind" && r.IntN(3) == 0:
				out[key] = scrambled(r, value, depth+1)
			default:
				out[key] = value
			}
		}
		if depth > 0 && r.IntN(6) == 0 {
			out[[]string{"unknown", "name", "size", "template"}[r.IntN(4)]] = odd[r.IntN(len(odd))]
		}
		return out
	case []any:
		out := append([]any{}, v...)
		for i := range out {
			out[i] = scrambled(r, out[i], depth+1)
		}
		if len(out) > 0 && r.IntN(3) == 0 {
			out = append(out, out[0])
		}
		return out
	}
	if r.IntN(4) > 0 {
		return odd[r.IntN(len(odd))]
	}
	return v
}

// randomExchange returns a request about one of a few widgets.
func randomExchange(t *testing.T, r *rand.Rand) exchange {
	t.Helper()
	const all = "/v1/namespaces/default/widgets"
	name := fmt.Sprintf("w%d", r.IntN(4))
	one := all + "/" + name
	switch r.IntN(4) {
	case 0:
		return oneOf(r, readsOf(all, one))
	case 1:
		return oneOf(r, oddExchanges(all, one))
	}
	return nearlyRightWrite(t, r, name, one)
}

func oneOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// readsOf returns requests that read widgets.
func readsOf(all, one string) (reads []exchange) {
	for _, path := range []string{
		one, one + "#table", one + "#metadata", one + "#yaml", one + "#protobuf", one + "#browser", one + "/scale",
		one + "/status",
		one + "/status#table", one + "?resourceVersion=0",
		all + "?fieldSelector=spec.color=red", all + "?fieldSelector=spec.owner!=jane",
		all + "?fieldSelector=metadata.name=w1", all + "?fieldSelector=spec.size=1",
		all + "?labelSelector=a=Warn", all + "?labelSelector=a+in+(Strict,Ignore)", all + "?labelSelector=a+in+(",
		all + "?labelSelector=!a",
		all + "#table", all + "#metadatas", all + "#yaml", all + "#protobuf", all + "?includeObject=Object#table",
		all + "?includeObject=None#table",
		all + "?limit=2", all + "?limit=2&continue=NEXT", all + "?limit=2&continue=NEXT#table", all + "?limit=-1",
		all + "?limit=x",
		all + "?resourceVersion=0", all + "?resourceVersion=FIRST&resourceVersionMatch=Exact", all + "?resourceVersion=x",
		all + "?resourceVersionMatch=Exact",
		all + "?watch=true&timeoutSeconds=1&resourceVersion=FIRST",
		all + "?watch=true&timeoutSeconds=1&resourceVersion=FIRST#table",
		all + "?watch=true&timeoutSeconds=1&resourceVersion=FIRST&allowWatchBookmarks=true#metadata",
		all + "?watch=true&timeoutSeconds=1",
		all + "?watch=true&timeoutSeconds=1&resourceVersion=FIRST&fieldSelector=spec.color=red",
		all + "?watch=true&timeoutSeconds=1&labelSelector=a=Warn",
		all + "?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
		all + "?watch=true&timeoutSeconds=1&resourceVersion=x",
		"/v1/widgets", "/v1/widgets#table", "/v1/widgets/w1", "/v1", "", "/v2/widgets", "/v1/namespaces/default/widget",
		one + "/finalize", one + "/log",
	} {
		reads = append(reads, exchange{"GET", path, "", ""})
	}
	return reads
}

// oddExchanges returns deletions, and requests that most clients do not send.
func oddExchanges(all, one string) []exchange {
	const (
		asJSON  = "application/json"
		asMerge = "application/merge-patch+json"
	)
	return []exchange{
		{"DELETE", one, "", ""}, {"DELETE", one + "?dryRun=All", "", ""},
		{"DELETE", one, asJSON, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"other"}}`},
		{"DELETE", one, asJSON, `{"propagationPolicy":"Foreground"}`},
		{"DELETE", one, asJSON, `{"propagationPolicy":"Sometimes"}`},
		{"DELETE", one + "?gracePeriodSeconds=0", "", ""},
		{"DELETE", all, "", ""}, {"DELETE", all + "?labelSelector=a=Strict", "", ""},
		{"DELETE", all + "?fieldSelector=spec.color=red", "", ""},
		{"DELETE", one + "/status", "", ""},
		{"POST", all, asJSON, `{"kind":"Widget"}`}, {"POST", all, asJSON, `{"spec":`}, {"POST", all, asJSON, ``},
		{"POST", all, asJSON, `[]`},
		{"POST", all, asJSON, `null`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"w0"}}`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w0"}}`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"W 0"},"spec":{"size":1}}`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w0","namespace":"other"},"spec":{"size":1}}`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":7,"labels":{"a":{}}},"spec":{"size":1}}`},
		{"POST", all, asJSON, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w0","labels":{"a b":"c"},"finalizers":["x"]},"spec":{"size":1}}`},
		{"POST", all, "application/yaml",
			"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w0, finalizers: [example.com/hold]}\nspec: {size: 1}\n"},
		{"POST", all, "application/yaml", "a: [\n"},
		{"POST", all, "text/plain", "{}"}, {"POST", one, asJSON, "{}"}, {"PUT", all, asJSON, "{}"},
		{"PUT", one, asJSON, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"else"}}`},
		{"PATCH", one, "application/strategic-merge-patch+json", "{}"}, {"PATCH", one, "application/patch", "{}"},
		{"PATCH", one, asMerge, `[]`},
		{"PATCH", one, asMerge, `{`},
		{"PATCH", one, asMerge, `{"metadata":{"finalizers":["example.com/hold"]}}`},
		{"PATCH", one, asMerge, `{"metadata":{"finalizers":null}}`},
		{"PATCH", one, asMerge, `{"metadata":{"name":"else"}}`},
		{"PATCH", one, asMerge, `{"metadata":{"resourceVersion":"1"}}`},
		{"PATCH", one, asMerge, `{"metadata":{"uid":"else"}}`},
		{"PATCH", one, asMerge, `{"spec":null}`}, {"PATCH", one, asMerge, `{"kind":"Gadget"}`},
		{"PATCH", one, asMerge, `{"spec":{"size":1,"size":2}}`}, {"PATCH", one + "?fieldValidation=Strict", asMerge,
			`{"spec":{"size":1,"size":2}}`}, {"PATCH", one + "?fieldValidation=Odd", asMerge, `{}`},
		{"PATCH", one + "/scale", asMerge, `{"spec":{"replicas":2}}`},
		{"PATCH", one + "/scale", asMerge, `{"spec":{"replicas":-1}}`},
		{"PATCH", one + "/scale", asMerge, `{"spec":{"replicas":"x"}}`},
		{"PUT", one + "/scale", asJSON,
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w1","namespace":"default"},"spec":{"replicas":3}}`},
		{"PUT", one + "/scale", asJSON, `{"spec":{}}`},
		{"PATCH", one + "/scale?fieldManager=m", "application/apply-patch+yaml",
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w1"},"spec":{"replicas":4}}`},
		{"PATCH", one, "application/json-patch+json", `[{"op":"test","path":"/spec/size","value":3}]`},
		{"PATCH", one, "application/json-patch+json", `[{"op":"move","from":"/spec/tags","path":"/spec/steps"}]`},
		{"PATCH", one, "application/json-patch+json", `[{"op":"add","path":"/spec/extra/new","value":1}]`},
		{"PATCH", one, "application/json-patch+json", `{}`}, {"PATCH", one, "application/json-patch+json", `[{"op":"jump"}]`},
		{"PATCH", one, "application/apply-patch+yaml", `{"apiVersion":"example.com/v1","kind":"Widget"}`},
		{"PATCH", one + "?fieldManager=n", "application/apply-patch+yaml", `{"spec":{"size":1}}`},
		{"OPTIONS", one, "", ""}, {"HEAD", one, "", ""},
		{"PUT", one, asJSON, strings.Replace(wholeWidget, `"a":`, `"a":7,"a":`, 1)},
	}
}

// nearlyRightWrite returns a write of a widget that is nearly right.
func nearlyRightWrite(t *testing.T, r *rand.Rand, name, one string) exchange {
	t.Helper()
	var whole any
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(wholeWidget, "NAME", name, 1)), &whole))
	obj := scrambled(r, whole, 0).(map[string]any)
	validation := oneOf(r, []string{"Ignore", "Warn", "Strict"})
	query := "?fieldValidation=" + validation + oneOf(r, []string{"", "", "", "", "&dryRun=All"})
	at := one + oneOf(r, []string{"", "", "", "/status"}) + query
	text := func(v any) string {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		return string(b)
	}
	patch := text(map[string]any{"spec": obj["spec"], "status": obj["status"]})
	obj["metadata"] = map[string]any{"name": name, "labels": map[string]any{"a": validation}}
	switch r.IntN(9) {
	case 0, 1, 2:
		return exchange{"POST", strings.TrimSuffix(one, "/"+name) + query, "application/json", text(obj)}
	case 3, 4:
		return exchange{"PUT", at, "application/json", text(obj)}
	case 5:
		return exchange{"PATCH", at, "application/merge-patch+json", patch}
	case 6:
		ops := []any{map[string]any{"op": "add", "path": "/spec/size", "value": oneOf(r, []any{1.0, 500.0, "x"})},
			map[string]any{"op": "remove", "path": "/spec/owner"}}
		return exchange{"PATCH", one + query, "application/json-patch+json", text(ops[:1+r.IntN(2)])}
	}
	return exchange{"PATCH", at + "&fieldManager=m&force=" + oneOf(r, []string{"true", "false"}),
		"application/apply-patch+yaml", text(obj)}
}

// A kind answers every request alike, byte for byte, whether it has a Go struct, is declared by its schema, or arrives
// as a definition.
func TestDocumentsAnswerLikeTheStruct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	codes := map[string]int{}
	for round := range 4 {
		synctest.Test(t, func(t *testing.T) {
			typed := newWidgetHost(t, widget.Resource())
			others := map[string]*widgetHost{"from its schema": newWidgetHost(t, widgetDocuments(t)),
				"from a definition": newWidgetHost(t)}
			for i := range 200 {
				e := randomExchange(t, r)
				want := typed.answer(t, e)
				codes[want[:3]]++
				for name, other := range others {
					require.Equal(t, want, other.answer(t, e), "round %d, request %d, the kind %s: %+v", round, i, name, e)
				}
			}
		})
	}
	for _, code := range []string{"200", "201", "400", "404", "405", "406", "409", "415", "422"} {
		assert.Positive(t, codes[code], "%s in %v", code, codes)
	}
	t.Log(codes)
}
