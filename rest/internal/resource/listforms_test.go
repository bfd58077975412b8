package resource_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/cbor"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A list that is written element by element has the same bytes as the whole list, encoded at once.
func TestListsAreEncodedElementByElement(t *testing.T) {
	format := cbor.Format()
	whole := map[string]func(t *testing.T, list []byte) []byte{
		"application/yaml": func(t *testing.T, list []byte) []byte {
			out, err := yaml.JSONToYAML(list)
			require.NoError(t, err)
			return out
		},
		"application/cbor": func(t *testing.T, list []byte) []byte {
			out, err := format.AppendFromJSON(nil, list)
			require.NoError(t, err)
			return out
		},
		"application/json": func(t *testing.T, list []byte) []byte {
			var out bytes.Buffer
			require.NoError(t, json.Indent(&out, list, "", "  "))
			return out.Bytes()
		},
	}
	texts := []string{
		"", " ", "plain", "two\nlines", "two lines and an end\n", "\n\n  indented\n\ttab\n\n", "ends with blanks  \nhere  ",
		"- a: b",
		"'quoted' \"text\"", "#", "yes", "null",
		"0x1F", "1e3", "2026-01-02", "~", ": ", "{a: b}", "\u00e4\u20ac\U0001F600", "\ttab",
		strings.Repeat("words that are folded ", 30),
		strings.Repeat("long", 100), strings.Repeat("words with a tab\t", 10) + "\nand a line", "trailing newlines\n\n\n",
	}
	for _, dialect := range []rest.Dialect{rest.DialectCustom, rest.DialectBuiltin} {
		r := apitest.ThingResource()
		r.Wire.Dialect = dialect
		s := apitest.NewThingServer(t, rest.Options{CBOR: format}, r)
		for _, objects := range []int{0, 1, 30, 100} {
			for i := range objects {
				data := map[string]string{}
				for n, text := range texts {
					data[fmt.Sprintf("k%d", n)] = text
				}
				data["key "+texts[i%len(texts)]] = texts[(i*7)%len(texts)]
				body, err := json.Marshal(map[string]any{
					"apiVersion": apitest.ThingGroup + "/v1", "kind": "Thing",
					"metadata": map[string]any{"name": fmt.Sprintf("n%d-%d", objects, i), "labels": map[string]string{"a": "on"}},
					"spec": map[string]any{"text": texts[i%len(texts)], "ratio": float64(i) * 1.5e7, "data": data,
						"parts": []any{map[string]any{"name": "p", "count": i}}},
				})
				require.NoError(t, err)
				require.Equal(t, 201, s.Do("POST", apitest.Things, string(body)).Code)
			}
			for _, as := range []string{"", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
				list := s.Do("GET", apitest.Things+"?includeObject=Object", "", "Accept", "application/json"+as)
				require.Equal(t, 200, list.Code, list.Body)
				for media, encode := range whole {
					if strings.Contains(as, "Table") && media == "application/cbor" {
						continue // the server does not have it
					}
					target := apitest.Things + "?includeObject=Object&pretty=true"
					got := s.Do("GET", target, "", "Accept", media+as)
					require.Equal(t, 200, got.Code, got.Body)
					assert.Equal(t, media, got.Header.Get("Content-Type"))
					if expected := encode(t, []byte(list.Body)); !bytes.Equal(expected, []byte(got.Body)) {
						t.Errorf("dialect %v, %d objects, %s%s:\n%.2000s\nexpected:\n%.2000s", dialect, objects, media, as, got.Body,
							expected)
					}
				}
			}
		}
	}
}

// As upstream, a list of a custom kind without a next page has an empty continue. A list of a built-in kind, of
// metadata, or in a Table has none.
func TestContinueOfTheLastPage(t *testing.T) {
	format := cbor.Format()
	for _, custom := range []bool{true, false} {
		r := apitest.ThingResource()
		if !custom {
			r.Wire.Dialect = rest.DialectBuiltin
		}
		s := apitest.NewThingServer(t, rest.Options{CBOR: format}, r)
		metadata := func(a apitest.Answer) map[string]any {
			require.Equal(t, 200, a.Code, a.Body)
			text := []byte(a.Body)
			if a.Header.Get("Content-Type") == "application/cbor" {
				var err error
				text, err = format.ToJSON(text)
				require.NoError(t, err)
			}
			var list struct {
				Metadata map[string]any `json:"metadata"`
			}
			require.NoError(t, yaml.Unmarshal(text, &list), a.Body)
			return list.Metadata
		}
		for _, objects := range []int{0, 3} {
			for i := range objects {
				s.MustCreate(t, fmt.Sprint("n", i))
			}
			for _, c := range []struct {
				name, method, accept string
				never                bool // no list in this form has an empty continue
			}{
				{name: "JSON", method: "GET", accept: "application/json"},
				{name: "JSON again", method: "GET", accept: "application/json"},
				{name: "JSON of the cache", method: "GET", accept: "application/json"},
				{name: "YAML", method: "GET", accept: "application/yaml"},
				{name: "CBOR", method: "GET", accept: "application/cbor"},
				{name: "Table", method: "GET", accept: apitest.AcceptTable, never: true},
				{name: "metadata", method: "GET", accept: apitest.AcceptPartials, never: true},
				{name: "deleted objects", method: "DELETE", accept: "application/json"},
			} {
				t.Run(fmt.Sprintf("custom=%v/%d objects/%s", custom, objects, c.name), func(t *testing.T) {
					if c.method == "GET" && objects > 0 {
						first := metadata(s.Do("GET", apitest.Things+"?limit=2", "", "Accept", c.accept))
						require.NotEmpty(t, first["continue"])
						next := "?limit=2&continue=" + url.QueryEscape(first["continue"].(string))
						last := metadata(s.Do("GET", apitest.Things+next, "", "Accept", c.accept))
						assert.Equal(t, custom && !c.never, hasEmptyContinue(last), last)
					}
					all := metadata(s.Do(c.method, apitest.Things, "", "Accept", c.accept))
					assert.Equal(t, custom && !c.never, hasEmptyContinue(all), all)
				})
			}
		}
	}
}

// hasEmptyContinue reports whether the metadata of a list has an empty continue, and not none.
func hasEmptyContinue(metadata map[string]any) bool {
	text, present := metadata["continue"]
	return present && text == ""
}

// Deep is a kind whose objects may be nested deeply.
type Deep struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Content            any `json:"content,omitempty"`
}

// An object that is nested so deeply that its indentation would be many times its size is not indented. The rest of the
// list is.
func TestDeepElementsOfListsAreNotIndented(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{},
		rest.Resource[Deep]{Group: "deep.example.com", Version: "v1", Plural: "deeps", Scope: rest.ScopeCluster})
	const all, levels = "/apis/deep.example.com/v1/deeps", 5000
	for name, content := range map[string]string{"a": "{}",
		"b": strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels), "c": "{}"} {
		require.Equal(t, 201, s.Do("POST", all,
			`{"apiVersion":"deep.example.com/v1","kind":"Deep","metadata":{"name":"`+name+`"},"content":`+content+`}`).Code)
	}
	plain := s.Do("GET", all, "")
	for _, media := range []string{"application/json", "application/yaml"} {
		got := s.Do("GET", all+"?pretty=true", "", "Accept", media)
		require.Equal(t, 200, got.Code)
		assert.Less(t, len(got.Body), 2*len(plain.Body))
		v, _, err := codec.DecodeYAML([]byte(got.Body), true)
		require.NoError(t, err)
		assert.JSONEq(t, plain.Body, string(codec.AppendJSON(nil, v)))
	}
}
