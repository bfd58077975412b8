package media_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestAccept(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	const asJSON, asYAML, asProtobuf = "application/json", apitest.TypeYAML, "application/vnd.kubernetes.protobuf"
	for _, c := range []struct{ accept, want string }{
		{"", asJSON},
		{"*/*", asJSON},
		{"application/*", asJSON},
		{"application/json", asJSON},
		{"application/json; charset=utf-8", asJSON},
		{"application/yaml", asYAML},
		{"application/yaml, application/json", asYAML},
		{"application/json, application/yaml", asJSON},
		{"application/json;q=0.5, application/yaml", asYAML},
		{"application/json;q=0.5, application/yaml;q=0.4", asJSON},
		{"application/yaml;q=0, application/json", asJSON},
		{"text/html, application/json", asJSON},
		{"text/html, image/png, */*;q=0.1", asJSON},
		{"application/json;stream=watch, application/yaml", asJSON},
		{"application/json;stream=other, application/yaml", asYAML},
		{"application/yaml;stream=watch, application/json", asJSON},
		{"application/json;sv=v1, application/yaml", asJSON},
		{"application/json;sv=v2, application/yaml", asYAML},
		{"*/*, application/yaml", asYAML},
		{"application/cbor, application/yaml", asYAML},
		{"garbage;;, application/json", asJSON},
	} {
		t.Run(c.accept, func(t *testing.T) {
			for _, target := range []string{apitest.Widgets + "/a", apitest.Widgets, "/apis", apitest.ExampleV1} {
				a := apitest.Do(t, api, "GET", target, "", "Accept", c.accept)
				assert.Equal(t, 200, a.Code, a.Body)
				assert.Equal(t, c.want, a.Header.Get("Content-Type"), target)
			}
		})
	}
	t.Run("Protobuf for kinds with a message", func(t *testing.T) {
		for target, want := range map[string]string{apitest.Widgets: asJSON, apitest.Widgets + "/a": asJSON,
			"/api":  asProtobuf,
			"/apis": asProtobuf, "/apis/example.com": asProtobuf, apitest.ExampleV1: asProtobuf} {
			assert.Equal(t, want, apitest.Do(t, api, "GET", target, "", "Accept",
				asProtobuf+", application/json").Header.Get("Content-Type"), target)
		}
	})
	for _, accept := range []string{"text/html", "text/html, image/png", "text/yaml", "application/json;q=0", "garbage"} {
		t.Run("not acceptable: "+accept, func(t *testing.T) {
			for _, target := range []string{apitest.Widgets + "/a", apitest.Widgets} {
				apitest.WantFailure(t, apitest.Do(t, api, "GET", target, "", "Accept", accept), 406, "NotAcceptable",
					"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", "")
			}
			assert.Equal(t, 406, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`), "Accept",
				accept).Code)
			assert.Equal(t, 406, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "", "Accept", accept).Code)
		})
	}
	t.Run("the version is JSON for any Accept header that allows JSON", func(t *testing.T) {
		for _, accept := range []string{asJSON, "*/*", "text/html, application/json;as=Table;v=v1;g=meta.k8s.io"} {
			assert.Equal(t, 200, apitest.Do(t, api, "GET", "/version", "", "Accept", accept).Code, accept)
		}
		apitest.WantFailure(t, apitest.Do(t, api, "GET", "/version", "", "Accept", "text/html"), 406, "NotAcceptable",
			"406: Not Acceptable\n\nAvailable representations: application/json", "")
	})
	t.Run("not acceptable, in discovery", func(t *testing.T) {
		const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
		builtin, custom := "406: Not Acceptable\n\nAvailable representations: "+types,
			"only the following media types are accepted: "+types
		for target, want := range map[string]string{"/api": builtin, "/apis": custom, "/apis/example.com": custom,
			apitest.ExampleV1: custom} {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", target, "", "Accept", "text/html"), 406, "NotAcceptable", want, "")
		}
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "GET", "/api/v1", "", "Accept", "text/html"), 406,
			"NotAcceptable", builtin, "")
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "DELETE", apitest.Memos, "", "Accept", "text/html"), 406,
			"NotAcceptable", builtin, "")
	})
	t.Run("not acceptable, in Protobuf", func(t *testing.T) {
		a := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "", "Accept", "application/vnd.kubernetes.protobuf")
		assert.Equal(t, 406, a.Code)
		assert.Equal(t, "application/vnd.kubernetes.protobuf", a.Header.Get("Content-Type"),
			"a client of Protobuf reads errors in it too")
		assert.True(t, strings.HasPrefix(a.Body, "k8s\x00"))
	})
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t),
		"what cannot be answered is not done")
}

// A client can read an object in YAML and write it back, even if it contains unusual characters.
func TestYAMLOfUnusualText(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a",
		`"spec":{"size":1,"settings":{"delete":"\u007f","no character":"\ufffe","lines":"a\u0085b\u2028c\u2029d","a\u2028b":"","number":"1e3"},"weight":1e300,"big":-9223372036854775808}`)
	a := apitest.Must(t, api, "GET", apitest.Widgets+"/a", "", "Accept", apitest.TypeYAML)
	apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept", apitest.TypeYAML)
	apitest.Must(t, api, "PUT", apitest.Widgets+"/a", a.Body, "Content-Type", apitest.TypeYAML)
	assert.Equal(t, "2", apitest.Must(t, api, "GET", apitest.Widgets+"/a", "").ResourceVersion(t),
		"the write changed nothing")
}

func TestYAMLOut(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a",
		`"spec":{"size":1,"owner":"yes","code":"null","big":9007199254740993,"extra":{"t":"two\nlines","empty":"","n":null}}`)
	const spec = `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"yes","code":"null","big":9007199254740993,"extra":{"t":"two\nlines","empty":"","n":null}}`
	object := apitest.StoredWidget{Spec: spec}.String()
	for _, c := range []struct {
		name, target, accept, want string
		code                       int
	}{
		{"an object", apitest.Widgets + "/a", apitest.TypeYAML, object, 200},
		{"a list", apitest.Widgets, apitest.TypeYAML, apitest.WidgetList(`"resourceVersion":"2"`, object), 200},
		{"a partial object", apitest.Widgets + "/a", apitest.TypeYAML + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
			apitest.StoredWidget{}.Partial(), 200},
		{"a table", apitest.Widgets + "/a?includeObject=None", apitest.TypeYAML + ";as=Table;v=v1;g=meta.k8s.io",
			apitest.WidgetTable(`"resourceVersion":"2"`, apitest.TableRow(`["a",1,"red",null,"yes","0s"]`, "null")), 200},
		{"an error", apitest.Widgets + "/none", apitest.TypeYAML,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.example.com \"none\" not found","reason":"NotFound","details":` + apitest.AboutWidget("none") + `,"code":404}`, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.Do(t, api, "GET", c.target, "", "Accept", c.accept)
			assert.Equal(t, c.code, a.Code)
			assert.Equal(t, apitest.TypeYAML, a.Header.Get("Content-Type"))
			assert.False(t, json.Valid([]byte(a.Body)), "this is no JSON")
			asJSON, err := yaml.YAMLToJSON([]byte(a.Body))
			require.NoError(t, err, a.Body)
			require.JSONEq(t, c.want, apitest.Unmanaged(t, string(asJSON)))
			if c.code == 200 && !strings.Contains(c.accept, "as=") {
				assert.Contains(t, a.Body, "big: 9007199254740993\n")
			}
		})
	}
}

func TestYAMLIn(t *testing.T) {
	api := apitest.NewWidgets(t)
	a := apitest.Do(t, api, "POST", apitest.Widgets, `# a comment
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
spec:
  size: 4
  owner: "true"
  steps: [one, two]
  extra:
    list: [1, two, 3.5, null, true]
    text: |
      two
      lines
`, "Content-Type", apitest.TypeYAML)
	apitest.WantJSON(t, a, 201, apitest.StoredWidget{Spec: `{"size":4,"color":"red","replicas":1,"template":{"image":"none"},"owner":"true","steps":["one","two"],
		"extra":{"list":[1,"two",3.5,null,true],"text":"two\nlines\n"}}`}.String())
	a = apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
		`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, resourceVersion: "2"}, spec: {size: 1}}`,
		"Content-Type", apitest.TypeYAML+"; charset=utf-8", "Accept", apitest.TypeYAML)
	assert.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, apitest.TypeYAML, a.Header.Get("Content-Type"))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200,
		apitest.StoredWidget{RV: "3", Generation: 2}.String())

	for name, body := range map[string]string{
		"cut off": "apiVersion: example.com/v1\nkind: [Widget", "a tab": "\tx: y", "no map": "- a\n- b\n",
		"empty": "# nothing\n", "an unknown alias": "a: *b\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := apitest.Do(t, api, "POST", apitest.Widgets, body, "Content-Type", apitest.TypeYAML)
			assert.Equal(t, 400, a.Code, a.Body)
			assert.Equal(t, "BadRequest", a.Text(t, "reason"))
		})
	}
}

func TestContentTypes(t *testing.T) {
	api := apitest.NewWidgets(t)
	for i, media := range []string{"", "application/json", "application/json; charset=utf-8", "Application/JSON"} {
		body := apitest.WidgetBody(fmt.Sprintf(`"name":"a%d"`, i))
		assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, body, "Content-Type", media).Code, media)
	}
	for _, media := range []string{"text/plain", "application/xml", "application/x-www-form-urlencoded", "garbage;;"} {
		for _, c := range []struct{ method, target string }{{"POST", apitest.Widgets}, {"PUT", apitest.Widgets + "/a0"}} {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, apitest.WidgetBody(`"name":"b"`), "Content-Type",
				media), 415, "UnsupportedMediaType",
				"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf", "")
		}
	}
}

func TestPretty(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct {
		name, query string
		headers     []string
		pretty      bool
	}{
		{"not by itself", "", nil, false},
		{"when asked", "?pretty=true", nil, true},
		{"not by a parameter without a value", "?pretty", nil, false},
		{"an invalid flag has no effect", "?pretty=maybe", nil, false},
		{"not when asked not to", "?pretty=false", nil, false},
		{"by Accept", "", []string{"Accept", "application/json;pretty=1"}, true},
		{"for curl", "", []string{"User-Agent", "curl/8.1"}, true},
		{"for a browser", "", []string{"User-Agent", "Mozilla/5.0 (X11)"}, true},
		{"not for a browser that does not want it", "?pretty=0", []string{"User-Agent", "Mozilla/5.0 (X11)"}, false},
		{"not for kubectl", "", []string{"User-Agent", "kubectl/v1.37.0"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, target := range []string{apitest.Widgets + "/a", apitest.Widgets, apitest.Widgets + "/none", "/apis",
				apitest.ExampleV1} {
				a := apitest.Do(t, api, "GET", target+c.query, "", c.headers...)
				if strings.HasSuffix(target, "/none") && len(c.headers) > 0 && c.headers[0] == "Accept" {
					continue // an error looks at the query and the User-Agent only
				}
				assert.Equal(t, c.pretty, strings.Contains(a.Body, "\n  \""), "%s: %s", target, a.Body)
				assert.True(t, json.Valid([]byte(a.Body)))
			}
		})
	}
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"?pretty=1", ""), 200,
		apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
}

func TestFieldValidation(t *testing.T) {
	const (
		unknown = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"0","bogusMeta":1},"bogus":1,"spec":{"size":1,"parts":[{"name":"p","bogus":1}],"extra":{"free":{"deep":1}}}}`
		double  = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","name":"a"},"spec":{"size":2,"size":1}}`
		doubleY = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  size: 2\n  size: 1\n"
		flowY   = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 2, size: 1}\n"
		strict  = `Widget in version "v1" cannot be handled as a Widget: strict decoding error: `
	)
	pruned := apitest.StoredWidget{Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"parts":[{"name":"p","count":1}],"extra":{"free":{"deep":1}}}`}.String()
	quoted := func(texts ...string) []string {
		var out []string
		for _, text := range texts {
			out = append(out, `299 - "`+strings.ReplaceAll(text, `"`, `\"`)+`"`)
		}
		return out
	}
	unknowns := []string{`unknown field "metadata.bogusMeta"`, `unknown field "bogus"`,
		`unknown field "spec.parts[0].bogus"`}
	doubles := []string{`duplicate field "metadata.name"`, `duplicate field "spec.size"`}
	for _, c := range []struct {
		name, mode, media, body string
		warnings                []string
		want, refused           string
	}{
		{"unknown fields", "", "application/json", unknown, quoted(unknowns...), pruned, ""},
		{"unknown fields, warn", "Warn", "application/json", unknown, quoted(unknowns...), pruned, ""},
		{"unknown fields, ignore", "Ignore", "application/json", unknown, nil, pruned, ""},
		{"unknown fields, strict", "Strict", "application/json", unknown, nil, "", strict + strings.Join(unknowns, ", ")},
		{"duplicate fields: the last counts", "", "application/json", double, quoted(doubles...),
			apitest.StoredWidget{}.String(), ""},
		{"duplicate fields, ignore", "Ignore", "application/json", double, nil, apitest.StoredWidget{}.String(), ""},
		{"duplicate fields, strict", "Strict", "application/json", double, nil, "", strict + strings.Join(doubles, ", ")},
		{"duplicate fields in YAML", "", apitest.TypeYAML, doubleY, quoted(`line 6: key "size" already set in map`),
			apitest.StoredWidget{}.String(), ""},
		{"duplicate fields in YAML, strict", "Strict", apitest.TypeYAML, doubleY, nil, "",
			strict + "yaml: unmarshal errors:\n  line 6: key \"size\" already set in map"},
		{"duplicate fields on one line of YAML", "", apitest.TypeYAML, flowY,
			quoted(`line 4: key "size" already set in map`), apitest.StoredWidget{}.String(), ""},
		{"duplicate fields on one line of YAML, ignore", "Ignore", apitest.TypeYAML, flowY, nil,
			apitest.StoredWidget{}.String(), ""},
		{"duplicate fields on one line of YAML, strict", "Strict", apitest.TypeYAML, flowY, nil, "",
			strict + "yaml: unmarshal errors:\n  line 4: key \"size\" already set in map"},
		{"nothing to complain of", "Strict", "application/json", apitest.WidgetBody(`"name":"a"`), nil,
			apitest.StoredWidget{}.String(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			a := apitest.Do(t, api, "POST", apitest.Widgets+"?fieldValidation="+c.mode, c.body, "Content-Type", c.media)
			assert.ElementsMatch(t, c.warnings, a.Header.Values("Warning"))
			if c.refused == "" {
				apitest.WantJSON(t, a, 201, c.want)
				return
			}
			assert.Equal(t, 400, a.Code)
			assert.Equal(t, "BadRequest", a.Text(t, "reason"))
			assert.Equal(t, c.refused, a.Text(t, "message"))
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		})
	}
}

func TestFieldValidationOfUpdates(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	body := apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":1,"bogus":1}`)
	const text = `unknown field "spec.bogus"`
	t.Run("PUT", func(t *testing.T) {
		a := apitest.Do(t, api, "PUT", apitest.Widgets+"/a", body)
		apitest.WantJSON(t, a, 200, apitest.StoredWidget{}.String())
		assert.Equal(t, []string{`299 - "unknown field \"spec.bogus\""`}, a.Header.Values("Warning"))
		apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a?fieldValidation=Strict", body), 400,
			"BadRequest", `Widget in version "v1" cannot be handled as a Widget: strict decoding error: `+text, "")
	})
	for _, c := range []struct{ name, media, body string }{
		{"merge patch", apitest.TypeMergePatch, `{"spec":{"bogus":1}}`},
		{"JSON patch", apitest.TypeJSONPatch, `[{"op":"add","path":"/spec/bogus","value":1}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", c.body, "Content-Type", c.media)
			apitest.WantJSON(t, a, 200, apitest.StoredWidget{}.String())
			assert.Equal(t, []string{`299 - "unknown field \"spec.bogus\""`}, a.Header.Values("Warning"))
			assert.Empty(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldValidation=Ignore", c.body, "Content-Type",
				c.media).Header.Values("Warning"))
			a = apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldValidation=Strict", c.body, "Content-Type", c.media)
			require.Equal(t, 422, a.Code, a.Body)
			assert.Equal(t, "Invalid", a.Text(t, "reason"))
			assert.Equal(t, "patch", a.Text(t, "details.causes.0.field"))
			assert.Contains(t, a.Text(t, "message"), ` "" is invalid: patch: Invalid value: "{`)
			assert.True(t, strings.HasSuffix(a.Text(t, "message"), "strict decoding error: "+text), a.Body)
		})
	}
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

func TestWarningsAreBounded(t *testing.T) {
	api := apitest.NewWidgets(t)
	var fields []string
	for i := range 300 {
		fields = append(fields, fmt.Sprintf(`"%s%d":1`, strings.Repeat("x", 300), i))
	}
	a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, strings.Join(fields, ",")))
	require.Equal(t, 201, a.Code, a.Body)
	total := 0
	for _, warning := range a.Header.Values("Warning") {
		total += len(warning)
		assert.LessOrEqual(t, len(warning), len(`299 - ""`)+256+2)
	}
	assert.NotEmpty(t, a.Header.Values("Warning"))
	assert.LessOrEqual(t, total, 4096+16*len(`299 - ""`)+100)
	t.Run("and harmless", func(t *testing.T) {
		a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`, `"a\"b\\c":1,"d\ne":1`))
		assert.Equal(t, []string{`299 - "unknown field \"a\"b\\c\""`}, a.Header.Values("Warning"))
	})
}

// Compression: a large answer to a read is compressed for a client whose Accept-Encoding has the plain token gzip.
func TestCompression(t *testing.T) {
	api := apitest.NewWidgets(t)
	big := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"big","annotations":{"a":"` +
		strings.Repeat("x", 140<<10) + `"}},"spec":{"size":1}}`
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, big, "Accept-Encoding", "gzip").Code)
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets,
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"small"},"spec":{"size":1}}`).Code)
	plain := apitest.Do(t, api, "GET", apitest.Widgets+"/big", "").Body
	for _, c := range []struct {
		name, path, accept string
		compressed         bool
	}{
		{"a large object", apitest.Widgets + "/big", "gzip", true},
		{"a large list", apitest.Widgets, "deflate, gzip", true},
		{"a small object", apitest.Widgets + "/small", "gzip", false},
		{"a token with a weight", apitest.Widgets + "/big", "gzip;q=1.0", false},
		{"no gzip", apitest.Widgets + "/big", "identity", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := apitest.Do(t, api, "GET", c.path, "", "Accept-Encoding", c.accept)
			if !c.compressed {
				assert.Empty(t, got.Header.Get("Content-Encoding"))
				return
			}
			assert.Equal(t, "gzip", got.Header.Get("Content-Encoding"))
			assert.Contains(t, got.Header.Values("Vary"), "Accept-Encoding")
			r, err := gzip.NewReader(strings.NewReader(got.Body))
			require.NoError(t, err)
			body, err := io.ReadAll(r)
			require.NoError(t, err)
			assert.Contains(t, string(body), plain[1:len(plain)-1])
		})
	}
}

func TestAnswersToWritesAreCompressed(t *testing.T) {
	api := apitest.NewMemosWith(t, `"data":{"k":"v"}`)
	a := apitest.Do(t, api, "PUT", apitest.Memos+"/a",
		`{"metadata":{"name":"a"},"data":{"k":"`+strings.Repeat("x", 200_000)+`"}}`, "Accept-Encoding", "gzip")
	assert.Equal(t, 200, a.Code)
	assert.Equal(t, "gzip", a.Header.Get("Content-Encoding"))
	assert.Equal(t, "Accept-Encoding", a.Header.Get("Vary"))
	assert.Less(t, len(a.Body), 10_000)
}
