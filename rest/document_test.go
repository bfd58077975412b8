package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
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
		Group: of.Group, Version: of.Version, Plural: of.Plural, Names: of.Names, SelectableFields: of.SelectableFields, Scale: of.Scale, Columns: of.Columns,
		Schema: rest.Schema{OpenAPI: definition.Spec.Versions[0].Schema.OpenAPIV3Schema, Status: true},
	}
}

// exchange is a request to the widgets.
type exchange struct{ method, path, media, body string }

// answer sends a request and returns the whole answer.
func (e exchange) answer(h http.Handler) string {
	r := httptest.NewRequest(e.method, "/apis/example.com/v1"+e.path, strings.NewReader(e.body))
	if e.media != "" {
		r.Header.Set("Content-Type", e.media)
	}
	if strings.HasSuffix(e.path, "#table") {
		r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return fmt.Sprintf("%d %q\n%s", w.Code, w.Header()["Warning"], w.Body)
}

// wholeWidget is a widget with every field.
const wholeWidget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"NAME","labels":{"a":"b"}},"spec":{"size":3,"color":"green","owner":"jane","code":"abc","replicas":2,
	"big":7,"weight":1.5,"paused":true,"note":null,"port":"80%","tags":["a","b"],"steps":["x"],"parts":[{"name":"p","count":2,"kind":"bolt"},{"name":"q"}],"settings":{"k":"v"},
	"limits":{"l":"m"},"template":{"image":"i","args":["a"]},"extra":{"deep":{"er":[1]}}},"status":{"phase":"Ready","conditions":[{"type":"A","status":"True"}]}}`

// scrambled changes some places of a value at random, at first those of the spec and the status.
func scrambled(r *rand.Rand, v any, depth int) any {
	odd := []any{nil, "text", "", 7.0, -1.0, 2.5, 1e12, true, []any{}, []any{"a", "a"}, map[string]any{}, map[string]any{"a": 1.0}}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
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
	name := fmt.Sprintf("w%d", r.IntN(4))
	var whole any
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(wholeWidget, "NAME", name, 1)), &whole))
	text := func(v any) string {
		var b bytes.Buffer
		require.NoError(t, json.NewEncoder(&b).Encode(v))
		return b.String()
	}
	obj := scrambled(r, whole, 0).(map[string]any)
	validation := []string{"Ignore", "Warn", "Strict"}[r.IntN(3)]
	all, one := "/namespaces/default/widgets", "/namespaces/default/widgets/"+name
	sub := []string{"", "", "", "/status"}[r.IntN(4)]
	query := "?fieldValidation=" + validation
	delete(obj, "metadata")
	patch := text(map[string]any{"spec": obj["spec"], "status": obj["status"]})
	obj["metadata"] = map[string]any{"name": name, "labels": map[string]any{"a": validation}}
	switch r.IntN(12) {
	case 0, 1, 2:
		return exchange{"POST", all + query, "application/json", text(obj)}
	case 3, 4:
		return exchange{"PUT", one + sub + query, "application/json", text(obj)}
	case 5:
		return exchange{"PATCH", one + sub + query, "application/merge-patch+json", patch}
	case 6:
		ops := []any{map[string]any{"op": "add", "path": "/spec/size", "value": []any{1.0, 500.0, "x"}[r.IntN(3)]}, map[string]any{"op": "remove", "path": "/spec/owner"}}
		return exchange{"PATCH", one + query, "application/json-patch+json", text(ops[:1+r.IntN(2)])}
	case 7, 8:
		return exchange{"PATCH", one + sub + query + "&fieldManager=m&force=" + []string{"true", "false"}[r.IntN(2)], "application/apply-patch+yaml", text(obj)}
	case 9:
		return exchange{"PATCH", one + "/scale", "application/merge-patch+json", fmt.Sprintf(`{"spec":{"replicas":%d}}`, r.IntN(4)-1)}
	case 10:
		return []exchange{{"GET", one, "", ""}, {"GET", all + "?fieldSelector=spec.color=red", "", ""}, {"GET", all + "#table", "", ""}, {"GET", one + "/scale", "", ""},
			{"GET", all + "?labelSelector=a=Warn", "", ""}, {"GET", one + "/status", "", ""}}[r.IntN(6)]
	}
	return []exchange{{"DELETE", one, "", ""}, {"DELETE", all, "", ""}, {"POST", all, "application/json", `{"kind":"Widget"}`}, {"POST", all, "application/json", `{"spec":`},
		{"PATCH", one, "application/strategic-merge-patch+json", "{}"}, {"PUT", one, "application/json", strings.Replace(text(obj), `"a":`, `"a":7,"a":`, 1)}}[r.IntN(6)]
}

// A kind without a Go struct answers every request like the same kind with one.
func TestDocumentsAnswerLikeTheStruct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	codes := map[string]int{}
	for round := range 6 {
		quiet := rest.Options{Logger: slog.New(slog.DiscardHandler)}
		typed, open := newAPI(t, quiet, widget.Resource()), newAPI(t, quiet, widgetDocuments(t))
		for i := range 150 {
			e := randomExchange(t, r)
			want := e.answer(typed)
			codes[want[:3]]++
			require.Equal(t, want, e.answer(open), "round %d, request %d: %+v", round, i, e)
		}
	}
	for _, code := range []string{"200", "201", "400", "404", "409", "415", "422"} {
		assert.Positive(t, codes[code], "%s in %v", code, codes)
	}
	t.Log(codes)
}
