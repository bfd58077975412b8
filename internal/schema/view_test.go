package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// panel has fields that Go and a document represent differently.
type panel struct {
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	panelSpec
	*PanelExtra

	Text    string                     `json:"text,omitempty"`
	Mode    string                     `json:"mode,omitempty" api:"enum=slow|fast"`
	Count   int32                      `json:"count,omitempty" api:"default=3,min=0"`
	On      bool                       `json:"on,omitempty" api:"default=true"`
	Always  int64                      `json:"always" api:"optional"`
	Ratio   float64                    `json:"ratio,omitzero"`
	Maybe   *int32                     `json:"maybe,omitempty"`
	Note    *string                    `json:"note,omitempty" api:"nullable"`
	Nest    panelNest                  `json:"nest,omitzero"`
	Behind  *panelNest                 `json:"behind,omitempty"`
	Tags    []string                   `json:"tags,omitempty" api:"list=set"`
	Steps   []panelNest                `json:"steps,omitempty"`
	Parts   []panelPart                `json:"parts,omitempty" api:"list=map,key=name"`
	Bare    []string                   `json:"bare" api:"optional"`
	Colors  []string                   `json:"colors,omitempty" api:"default='[\"red\"]'"`
	Labels  map[string]string          `json:"labels,omitempty"`
	Byname  map[string]panelNest       `json:"byName,omitempty"`
	Numbers map[int]panelNest          `json:"numbers,omitempty"`
	Any     any                        `json:"any,omitempty"`
	Free    map[string]any             `json:"free,omitempty"`
	Raw     json.RawMessage            `json:"raw,omitempty"`
	Raws    map[string]json.RawMessage `json:"raws,omitempty"`
	When    apimeta.Time               `json:"when,omitzero"`
	Bytes   []byte                     `json:"bytes,omitempty"`
	Two     [2]int                     `json:"two" api:"optional"`
	Size    measure                    `json:"size,omitzero"`
	Hidden  int                        `json:"-"`
}

type panelSpec struct {
	Inline int32 `json:"inline,omitempty" api:"default=7"`
}

type PanelExtra struct {
	Extra int32 `json:"extra,omitempty"`
}

type panelNest struct {
	Size  int32       `json:"size,omitempty" api:"default=5"`
	Title string      `json:"title,omitempty"`
	Inner panelLeaf   `json:"inner,omitzero"`
	Next  []panelNest `json:"next,omitempty"`
}

type panelLeaf struct {
	Depth int32 `json:"depth,omitempty"`
}

type panelPart struct {
	Name string    `json:"name"`
	Size int32     `json:"size,omitempty" api:"default=5"`
	Rank int32     `json:"rank,omitempty"`
	Sub  panelLeaf `json:"sub,omitempty" api:"optional"`
}

// measure holds a text or a number, and writes it as text.
type measure struct{ text string }

func (m measure) MarshalJSON() ([]byte, error) { return json.Marshal(m.text) }

func (m *measure) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if text, ok := v.(string); ok {
		m.text = text
	} else {
		m.text = string(data)
	}
	return nil
}

func (measure) IsZero() bool                  { return false }
func (measure) OpenAPISchemaType() []string   { return []string{"string"} }
func (measure) OpenAPIV3OneOfTypes() []string { return []string{"string", "integer"} }
func (measure) OpenAPISchemaFormat() string   { return "" }

// changed returns the document after a function has changed it as a Go value.
func changed(t testing.TB, text string, f func(p *panel), zeros schema.Zeros) string {
	t.Helper()
	view := new(schema.Types).View(derive[panel](t), reflect.TypeFor[panel]())
	v := parse(t, text)
	before, err := view.Show(v)
	require.NoError(t, err)
	var p panel
	require.NoError(t, codec.ToGo(v, &p))
	f(&p)
	after, err := codec.FromGo(&p)
	require.NoError(t, err)
	return string(codec.AppendJSON(nil, view.Merge(v, before, after, zeros)))
}

func TestMergeKeepsWhatGoCannotShow(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(p *panel)
		want       string
	}{
		{"nothing changes",
			`{"count":0,"on":false,"text":"","tags":[],"labels":{},"nest":{},"note":null,"any":123456789012345678901,"when":"2026-01-02T05:04:05.5+02:00","bytes":"YQ\n==","size":7}`,
			func(*panel) {},
			`{"any":123456789012345678901,"bytes":"YQ\n==","count":0,"labels":{},"nest":{},"note":null,"on":false,"size":7,"tags":[],"text":"","when":"2026-01-02T05:04:05.5+02:00"}`},
		{"a field beside a zero", `{"count":0,"ratio":0}`, func(p *panel) { p.Text = "x" },
			`{"count":0,"ratio":0,"text":"x"}`},
		{"a zero becomes another value", `{"count":0}`, func(p *panel) { p.Count = 2 }, `{"count":2}`},
		{"values become zero", `{"text":"x","count":2,"on":true,"inline":1,"ratio":1.5}`,
			func(p *panel) { p.Text, p.Count, p.On, p.Inline, p.Ratio = "", 0, false, 0, 0 },
			`{"count":0,"inline":0,"on":false,"ratio":0,"text":""}`},
		{"a zero that the rules forbid is omitted", `{"mode":"fast"}`, func(p *panel) { p.Mode = "" }, `{}`},
		{"a pointer becomes nil", `{"maybe":1,"note":"x","behind":{"size":1}}`,
			func(p *panel) { p.Maybe, p.Note, p.Behind = nil, nil, nil }, `{}`},
		{"a new pointer to a zero", `{}`, func(p *panel) { p.Maybe = new(int32) }, `{"maybe":0}`},
		{"an embedded pointer becomes nil", `{"extra":4}`, func(p *panel) { p.PanelExtra = nil }, `{}`},
		{"below a struct", `{"nest":{"size":0,"title":"a"}}`, func(p *panel) { p.Nest.Title = "b" },
			`{"nest":{"size":0,"title":"b"}}`},
		{"below a pointer", `{"behind":{"size":0}}`, func(p *panel) { p.Behind.Title = "b" },
			`{"behind":{"size":0,"title":"b"}}`},
		{"below a struct that is zero", `{"nest":{"size":0}}`, func(p *panel) { p.Nest.Title = "b" },
			`{"nest":{"size":0,"title":"b"}}`},
		{"a struct becomes zero", `{"nest":{"size":4,"title":"a","inner":{"depth":1}}}`,
			func(p *panel) { p.Nest = panelNest{} }, `{"nest":{"inner":{"depth":0},"size":0,"title":""}}`},
		{"a list becomes nil", `{"tags":["a"],"bare":["b"],"colors":["blue"]}`,
			func(p *panel) { p.Tags, p.Bare, p.Colors = nil, nil, nil }, `{"colors":[]}`},
		{"bytes and times become zero", `{"bytes":"AA==","when":"2026-01-02T05:04:05Z"}`,
			func(p *panel) { p.Bytes, p.When = nil, apimeta.Time{} }, `{}`},
		{"an element by its key", `{"parts":[{"name":"a","rank":0,"size":0},{"name":"b","rank":0}]}`,
			func(p *panel) { p.Parts = p.Parts[1:]; p.Parts[0].Size = 1 }, `{"parts":[{"name":"b","rank":0,"size":1}]}`},
		{"elements in another order", `{"parts":[{"name":"a","rank":0},{"name":"b","size":0}]}`,
			func(p *panel) { p.Parts[0], p.Parts[1] = p.Parts[1], p.Parts[0] },
			`{"parts":[{"name":"b","size":0},{"name":"a","rank":0}]}`},
		{"an element gets another key", `{"parts":[{"name":"a","rank":0}]}`, func(p *panel) { p.Parts[0].Name = "z" },
			`{"parts":[{"name":"z","rank":0}]}`},
		{"an added element", `{"parts":[{"name":"a","rank":0}]}`,
			func(p *panel) {
				p.Parts = append([]panelPart{{Name: "z"}}, p.Parts...)
			},
			`{"parts":[{"name":"z","sub":{}},{"name":"a","rank":0}]}`},
		{"an element of an atomic list", `{"steps":[{"title":"a","size":0},{"title":"b","size":0}]}`,
			func(p *panel) { p.Steps[1].Title = "c" }, `{"steps":[{"size":0,"title":"a"},{"size":0,"title":"c"}]}`},
		{"an element removed from an atomic list", `{"steps":[{"title":"a","size":0},{"title":"b","size":0}]}`,
			func(p *panel) { p.Steps = p.Steps[1:] }, `{"steps":[{"size":0,"title":"b"}]}`},
		{"an atomic list is reversed", `{"steps":[{"title":"a","size":0},{"title":"b"}]}`,
			func(p *panel) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] },
			`{"steps":[{"title":"b"},{"size":0,"title":"a"}]}`},
		{"lists in lists", `{"steps":[{"next":[{"size":0,"title":"a"}]}]}`, func(p *panel) { p.Steps[0].Next[0].Title = "b" },
			`{"steps":[{"next":[{"size":0,"title":"b"}]}]}`},
		{"members of maps", `{"labels":{"a":"","b":"1"},"byName":{"x":{"size":0},"y":{}}}`, func(p *panel) {
			delete(p.Labels, "b")
			p.Labels["c"] = ""
			p.Byname["x"] = panelNest{Title: "t"}
			delete(p.Byname, "y")
		}, `{"byName":{"x":{"size":0,"title":"t"}},"labels":{"a":"","c":""}}`},
		{"a map with numbers for keys", `{"numbers":{"1":{"size":0},"2":{}}}`,
			func(p *panel) { p.Numbers[2] = panelNest{Title: "t"} }, `{"numbers":{"1":{"size":0},"2":{"title":"t"}}}`},
		{"keys that Go writes differently", `{"numbers":{"01":{"size":0}}}`,
			func(p *panel) { p.Numbers[2] = panelNest{Title: "t"} }, `{"numbers":{"1":{},"2":{"title":"t"}}}`},
		{"numbers beyond a float64",
			`{"free":{"a":123456789012345678901,"b":1},"any":[0.1000000000000000055511151231257827,1]}`, func(p *panel) {
				p.Free["b"] = 2
				p.Any.([]any)[1] = 2
			}, `{"any":[0.1000000000000000055511151231257827,2],"free":{"a":123456789012345678901,"b":2}}`},
		{"a null in a map of any values", `{"free":{"a":null,"b":1}}`,
			func(p *panel) { p.Free["b"] = nil; delete(p.Free, "a") }, `{"free":{"b":null}}`},
		{"raw JSON", `{"raw":{"a":1.0},"raws":{"a":{"b":1},"c":2}}`,
			func(p *panel) { p.Raws["a"] = json.RawMessage(`{"b":2}`) }, `{"raw":{"a":1},"raws":{"a":{"b":2},"c":2}}`},
		{"a type that encodes itself", `{"size":7,"text":"a"}`, func(p *panel) { p.Size.text = "8" },
			`{"size":"8","text":"a"}`},
		{"an array", `{"two":[1,2,3]}`, func(p *panel) { p.Two[0] = 9 }, `{"two":[9,2,3]}`},
		{"a list shorter than the array", `{"two":[1]}`, func(p *panel) { p.Two[1] = 9 }, `{"two":[1,9]}`},
		{"metadata has no zeros", `{"metadata":{"generateName":"a","name":"b"}}`, func(p *panel) { p.GenerateName = "" },
			`{"metadata":{"name":"b"}}`},
		{"a field without JSON", `{"count":0}`, func(p *panel) { p.Hidden = 1 }, `{"count":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.JSONEq(t, c.want, changed(t, c.text, c.change, schema.ZerosOfChanges))
			assert.Equal(t, c.want, changed(t, c.text, c.change, schema.ZerosOfChanges))
		})
	}
}

func TestZerosOverDefaults(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(p *panel)
		want       string
	}{
		{"fields with and without a default", `{"count":2,"on":true,"text":"x","ratio":1}`,
			func(p *panel) { p.Count, p.On, p.Text, p.Ratio = 0, false, "", 0 }, `{"count":0,"on":false}`},
		{"a stored zero stays", `{"count":0,"text":"","maybe":0}`, func(p *panel) { p.Ratio = 1 },
			`{"count":0,"maybe":0,"ratio":1,"text":""}`},
		{"a list with a default", `{"colors":["blue"],"tags":["a"]}`, func(p *panel) { p.Colors, p.Tags = nil, nil },
			`{"colors":[]}`},
		{"a struct that is omitted", `{"nest":{"size":4,"title":"a"}}`, func(p *panel) { p.Nest = panelNest{} },
			`{"nest":{"size":0}}`},
		{"a struct without defaults that is omitted", `{"nest":{"inner":{"depth":1}}}`,
			func(p *panel) { p.Nest.Inner.Depth = 0 }, `{}`},
		{"a new struct", `{}`, func(p *panel) { p.Behind = &panelNest{Title: "a"} }, `{"behind":{"size":0,"title":"a"}}`},
		{"a new element", `{"parts":[{"name":"a","size":1}]}`,
			func(p *panel) {
				p.Parts = append(p.Parts, panelPart{Name: "b"})
			},
			`{"parts":[{"name":"a","size":1},{"name":"b","size":0,"sub":{}}]}`},
		{"a new member of a map", `{}`, func(p *panel) { p.Byname = map[string]panelNest{"x": {}} },
			`{"byName":{"x":{"size":0}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, changed(t, c.text, c.change, schema.ZerosOverDefaults))
		})
	}
}

var panels = []string{
	`{}`,
	`{"count":0,"on":false,"text":"","tags":[],"labels":{},"nest":{},"always":0}`,
	`{"count":2,"on":true,"text":"x","tags":["a","b"],"labels":{"a":""},"nest":{"size":0,"inner":{"depth":0}},"inline":0,"extra":1,"ratio":1e300}`,
	`{"parts":[{"name":"a","rank":0,"sub":{}},{"name":"b","size":0,"sub":{"depth":0}}],"steps":[{"title":"a","size":0},{"next":[{"size":0}]}],"two":[1,2]}`,
	`{"parts":[{"name":"b","rank":1},{"name":"c"}],"steps":[{"next":[{"title":"x"}]},{"title":"a","size":1}],"two":[2,1]}`,
	`{"byName":{"a":{"size":0},"b":{"title":"t"}},"numbers":{"1":{"size":0},"02":{}},"free":{"a":null,"b":[1,{"c":12345678901234567890}]}}`,
	`{"byName":{"a":{"title":"t"}},"numbers":{"1":{"title":"t"}},"free":{"b":[1,{"c":1}],"d":{}},"any":[[],[{}]],"raw":{"a":[]},"raws":{"a":null}}`,
	`{"when":"2026-01-02T05:04:05.5+02:00","bytes":"YQ==","size":7,"maybe":0,"note":null,"behind":{"inner":{}},"metadata":{"name":"a","labels":{"a":"b"}}}`,
	`{"when":"2026-01-02T03:04:05Z","bytes":"","size":"7","maybe":1,"note":"","behind":{"inner":{"depth":1}},"metadata":{"generateName":"a"}}`,
	`{"colors":[],"bare":[],"mode":"fast"}`,
	`{"steps":[{"title":"a"},{"title":"a","size":0},{"title":"b"}]}`,
	`{"steps":[{"title":"a"},{"title":"b"},{"title":"a"}]}`,
}

// Merge accepts a before that shows only a part of the document, as another version of a kind does.
func TestMergeOfDocuments(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
		Path string `json:"path,omitempty"`
	}
	type object struct {
		A     int               `json:"a,omitempty"`
		B     int               `json:"b,omitempty"`
		Items []item            `json:"items,omitempty" api:"list=map,key=name"`
		Set   []string          `json:"set,omitempty" api:"list=set"`
		List  []string          `json:"list,omitempty"`
		Map   map[string]string `json:"map,omitempty"`
	}
	s, err := schema.Derive(reflect.TypeFor[object](), schema.Options{})
	require.NoError(t, err)
	for _, c := range []struct{ name, v, before, after, want string }{
		{"nothing changes", `{"a":805,"b":1}`, `{"a":800}`, `{"a":800}`, `{"a":805,"b":1}`},
		{"a member changes", `{"a":805,"b":1}`, `{"a":800}`, `{"a":810}`, `{"a":810,"b":1}`},
		{"a member is removed", `{"a":805,"b":1}`, `{"a":800}`, `{}`, `{"b":1}`},
		{"a member is added", `{"b":1}`, `{}`, `{"a":1}`, `{"a":1,"b":1}`},
		{"a map", `{"map":{"x":"1","y":"2"}}`, `{"map":{"x":"1"}}`, `{"map":{"x":"3","z":"4"}}`,
			`{"map":{"x":"3","y":"2","z":"4"}}`},
		{"an element by its key", `{"items":[{"name":"x","size":1,"path":"/x"},{"name":"y","path":"/y"}]}`,
			`{"items":[{"name":"x","size":1},{"name":"y"}]}`, `{"items":[{"name":"n"},{"name":"y"},{"name":"x","size":2}]}`,
			`{"items":[{"name":"n"},{"name":"y","path":"/y"},{"name":"x","path":"/x","size":2}]}`},
		{"an element is removed", `{"items":[{"name":"x","path":"/x"},{"name":"y","path":"/y"}]}`,
			`{"items":[{"name":"x"},{"name":"y"}]}`, `{"items":[{"name":"y"}]}`, `{"items":[{"name":"y","path":"/y"}]}`},
		{"an element that is not shown stays", `{"items":[{"name":"x"},{"name":"y"}]}`, `{"items":[{"name":"y"}]}`,
			`{"items":[]}`, `{"items":[{"name":"x"}]}`},
		{"an element that is not shown is replaced by one with its key", `{"items":[{"name":"x"},{"name":"y"}]}`,
			`{"items":[{"name":"y"}]}`, `{"items":[{"name":"x","size":7}]}`, `{"items":[{"name":"x","size":7}]}`},
		{"keys that before shows differently", `{"items":[{"name":"805"}]}`, `{"items":[{"name":"800"}]}`,
			`{"items":[{"name":"800"},{"name":"900"}]}`, `{"items":[{"name":"800"},{"name":"900"}]}`},
		{"a set", `{"set":["x","y","z"]}`, `{"set":["x","y"]}`, `{"set":["w","y"]}`, `{"set":["w","y","z"]}`},
		{"any other list", `{"list":["x","y","z"]}`, `{"list":["x","y"]}`, `{"list":["w","y"]}`, `{"list":["w","y"]}`},
		{"another kind of value", `{"map":{"x":"1"}}`, `{"map":null}`, `{"map":{"y":"1"}}`, `{"map":{"y":"1"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := func(text string) doc.Value {
				v, _, err := codec.DecodeJSON([]byte(text))
				require.NoError(t, err)
				return v
			}
			v, after := read(c.v), read(c.after)
			assert.Equal(t, c.want, string(codec.AppendJSON(nil, s.Merge(v, read(c.before), after))))
			assert.Equal(t, c.after, string(codec.AppendJSON(nil, s.Merge(v, read(c.v), after))),
				"a view of the whole document changes the whole document")
		})
	}
}

// FuzzMerge lets a function turn the Go value of one document into that of another, and checks what Merge guarantees.
func FuzzMerge(f *testing.F) {
	for i := range panels {
		f.Add([]byte(panels[i]), []byte(panels[(i+1)%len(panels)]))
		f.Add([]byte(panels[i]), []byte(panels[i]))
	}
	s := derive[panel](f)
	view := new(schema.Types).View(s, reflect.TypeFor[panel]())
	// document reads an object that hooks would see. An API refuses every other text before that.
	document := func(t *testing.T, data []byte) (v, shown doc.Value, ok bool) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil || v.Kind() != doc.Map {
			return v, shown, false
		}
		v, _ = s.Prune(v)
		v = s.Default(v)
		if len(s.CheckTypes(nil, v)) > 0 {
			return v, shown, false
		}
		shown, err = view.Show(v)
		require.NoError(t, err)
		return v, shown, true
	}
	f.Fuzz(func(t *testing.T, data, other []byte) {
		v, before, ok := document(t, data)
		_, after, otherOK := document(t, other)
		if !ok || !otherOK {
			return
		}
		for _, zeros := range []schema.Zeros{schema.ZerosOfChanges, schema.ZerosOverDefaults} {
			require.Equal(t, v, view.Merge(v, before, before, zeros), "nothing changes")

			merged := view.Merge(v, before, after, zeros)
			keepsWhatIsEqual(t, v, before, after, merged, "")
			_, left := s.Prune(merged)
			require.Empty(t, left)
			if v.Get("two").Len() > 2 { // the array shows two of them
				return
			}
			shown, err := view.Show(merged)
			require.NoError(t, err)
			require.Equal(t, show(after), show(shown), "Go sees the result of the function in %s", show(v))
			if zeros == schema.ZerosOfChanges { // values that a hook adds get defaults
				continue
			}
			shown, err = view.Show(s.Default(merged))
			require.NoError(t, err)
			require.Equal(t, show(after), show(shown), "no default replaces it in %s", show(merged))
		}
	})
}

// keepsWhatIsEqual checks that everything that before and after have in common stayed unchanged.
func keepsWhatIsEqual(t *testing.T, v, before, after, merged doc.Value, path string) {
	if doc.Equal(before, after) {
		require.True(t, doc.Equal(v, merged), "%s: %s became %s", path, show(v), show(merged))
		return
	}
	if v.Kind() != doc.Map || before.Kind() != doc.Map || after.Kind() != doc.Map || path == ".numbers" {
		return
	}
	for key := range v.Members() {
		keepsWhatIsEqual(t, v.Get(key), before.Get(key), after.Get(key), merged.Get(key), path+"."+key)
	}
}
