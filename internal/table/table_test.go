package table_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/table"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, text string) doc.Value {
	t.Helper()
	v, _, err := codec.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func path(t testing.TB, text string) table.Path {
	t.Helper()
	p, err := table.ParsePath(text)
	require.NoError(t, err)
	return p
}

const pod = `{
	"metadata": {"name": "p", "labels": {"app.kubernetes.io/name": "web", "it's": "quoted"}},
	"spec": {"ports": [{"port": 80}, {"name": "tls", "port": 443}, {"name": "last", "port": 8080}], "none": null, "empty": [], "big": 9223372036854775807},
	"status": {"conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True", "age": 7, "ok": true, "at": {"x": 1}}]}
}`

func TestFirst(t *testing.T) {
	object := parse(t, pod)
	for _, test := range []struct{ path, want string }{
		{".metadata.name", `"p"`},
		{".", pod},
		{".spec.ports", `[{"port":80},{"name":"tls","port":443},{"name":"last","port":8080}]`},
		{".spec.ports[0].port", `80`},
		{".spec.ports[-1].port", `8080`},
		{".spec.ports[ 1 ].name", `"tls"`},
		{".spec.ports[3].port", ``},
		{".spec.ports[-4].port", ``},
		{".spec.ports[*].name", `"tls"`},
		{".spec.ports[*].none", ``},
		{".metadata.*", `{"app.kubernetes.io/name":"web","it's":"quoted"}`},
		{".spec.empty[*].a", ``},
		{`.metadata.labels.app\.kubernetes\.io/name`, `"web"`},
		{`.metadata.labels['app\.kubernetes\.io/name']`, `"web"`},
		{`.metadata.labels['app.kubernetes.io/name']`, `"web"`},
		{`.metadata.labels["app.kubernetes.io/name"]`, `"web"`},
		{`.metadata.labels['it\'s']`, `"quoted"`},
		{`['metadata']["name"]`, `"p"`},
		{".spec.none", `null`},
		{".spec.none.deeper", ``},
		{".spec.missing", ``},
		{".metadata.name.x", ``},
		{".metadata.name[0]", ``},
		{".metadata[0]", ``},
		{`.status.conditions[?(@.type=="Ready")].status`, `"True"`},
		{`.status.conditions[?(@.type=='Ready')].status`, `"True"`},
		{`.status.conditions[?( @.type == "Ready" )].status`, `"True"`},
		{`.status.conditions[?(@.type!="Ready")].status`, `"False"`},
		{`.status.conditions[?(@.type=="Gone")].status`, ``},
		{`.status.conditions[?(@.age)].status`, `"True"`},
		{`.status.conditions[?(@.age>6)].status`, `"True"`},
		{`.status.conditions[?(@.age>=7.0)].status`, `"True"`},
		{`.status.conditions[?(@.age<7)].status`, ``},
		{`.status.conditions[?(@.age<=7)].status`, `"True"`},
		{`.status.conditions[?(@.age>6.5)].status`, `"True"`},
		{`.status.conditions[?(@.ok==true)].status`, `"True"`},
		{`.status.conditions[?(@.ok!=false)].status`, `"True"`},
		{`.status.conditions[?(@.type>"S")].type`, `"Synced"`},
		{`.status.conditions[?(@.type>1)].type`, ``},
		{`.status.conditions[?(@.at.x==1)].type`, `"Ready"`},
		{`.status.conditions[?(@['type']=="Ready")].status`, `"True"`},
		{`.metadata[?(@.name=="p")]`, ``},
		{`.spec.ports[?(@)].port`, `80`},
		{`.status.conditions[?(@.type==@.type)].status`, `"False"`},
		{`.status.conditions[?(@.status==@.type)].status`, ``},
		{`$.metadata.name`, `"p"`},
		{".status.conditions[-1:].type", `"Ready"`},
		{".spec.ports[1:].port", `443`},
		{".spec.ports[].port", `80`},
		{".spec.ports[:2].name", `"tls"`},
		{".spec.ports[0:3:2].name", `"last"`},
		{".spec.ports[::2].name", `"last"`},
		{".spec.ports[-2:-1].port", `443`},
		{".spec.ports[2:1].port", ``},
		{".spec.ports[1:1].port", ``},
		{".spec.ports[1:4].port", ``},
		{".spec.ports[-4:].port", ``},
		{".spec.empty[-1:]", ``},
		{".metadata.name[0:1]", ``},
		{".spec.ports[2,1].port", `8080`},
		{".spec.ports[7, 1:].port", `443`},
		{".metadata['none','name']", `"p"`},
		{".status.conditions[*]['age','type']", `7`},
		{".status.conditions[*]['none','age']['x','y']", ``},
		{".status['conditions','none'][1,0]['none','type']", `"Ready"`},
		{"..port", `80`},
		{".spec..name", `"tls"`},
		{"..conditions[1].at.x", `1`},
		{"..", pod},
		{".spec..none", `null`},
		{".spec..ports[?(@.port>100)].name", `"tls"`},
		{"..labels..name", ``},
	} {
		t.Run(test.path, func(t *testing.T) {
			p := path(t, test.path)
			assert.Equal(t, test.path, p.String())
			got, found := p.First(object)
			assert.Equal(t, test.want != "", found)
			if found {
				assert.JSONEq(t, test.want, string(codec.AppendJSON(nil, got)))
			}
		})
	}
}

func TestParsePathErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "the path is empty",
		"spec.a":                   "begins with a dot",
		".spec....a":               "four dots",
		".spec...":                 "a name is missing",
		".spec.":                   "a name is missing",
		".spec[":                   "not closed",
		".spec[a]":                 `"a" is neither an index`,
		".spec[1:2:3:4]":           `"1:2:3:4" is neither an index`,
		".spec[1:2:0]":             `the step of "1:2:0" is not positive`,
		strings.Repeat("[1,2]", 7): "more than 64 combinations",
		".spec['a']b":              "unexpected",
		".spec['a'":                `expected "]"`,
		".spec['a]":                "a quote is not closed",
		".spec{a}":                 "unexpected",
		".a[?(type)]":              `expected "@"`,
		".a[?(@.b==)]":             "is not a number, a boolean",
		".a[?(@.b==x)]":            `"x" is not a number`,
		".a[?(@.b==NaN)]":          `"NaN" is not a number`,
		".a[?(@.b=='x')":           `expected ")]"`,
		".a[?(@.b=~'x')]":          `expected ")]"`,
		".a[?(@.b==1":              `expected ")]"`,
		strings.Repeat(".a", 3e3):  "longer than 4096 bytes",
	} {
		_, err := table.ParsePath(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestCell(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, test := range []struct {
		typ, value string // nil if the cell is empty
		want       any
	}{
		{"string", `"text"`, "text"}, {"string", `7`, "7"}, {"string", `1.5`, "1.5"}, {"string", `true`, "true"},
		{"string", `["a",1]`, `["a",1]`}, {"string", `{"a":1}`, `{"a":1}`}, {"string", `null`, nil}, {"string", ``, nil},
		{"integer", `7`, int64(7)}, {"integer", `9223372036854775807`, int64(9223372036854775807)},
		{"integer", `7.9`, int64(7)},
		{"integer", `1e300`, nil}, {"integer", `"7"`, nil}, {"integer", ``, nil},
		{"number", `7`, 7.0}, {"number", `1.5`, 1.5}, {"number", `"1.5"`, nil}, {"number", `1e999`, nil},
		{"boolean", `true`, true}, {"boolean", `false`, false}, {"boolean", `"true"`, nil}, {"boolean", `null`, nil},
		{"date", `"2024-05-06T07:06:09Z"`, "2m"}, {"date", `"2024-05-06T09:08:08+02:00"`, "1s"},
		{"date", `"2025-01-01T00:00:00Z"`, "<invalid>"},
		{"date", `"yesterday"`, "<invalid>"}, {"date", `""`, "<unknown>"}, {"date", `"0001-01-01T00:00:00Z"`, "<unknown>"},
		{"date", `7`, nil}, {"date", `null`, nil}, {"date", ``, nil},
	} {
		t.Run(test.typ+" "+test.value, func(t *testing.T) {
			object := doc.MapOf()
			if test.value != "" {
				object = parse(t, `{"v":`+test.value+`}`)
			}
			assert.True(t, table.IsType(test.typ))
			assert.Equal(t, test.want, table.Column{Path: path(t, ".v"), Type: test.typ}.Cell(object, now))
		})
	}
	assert.False(t, table.IsType("text"))
}

// The test compares the rows with the recorded tables of widgets.
func TestRecordedRows(t *testing.T) {
	columns := []table.Column{
		{Path: path(t, ".metadata.name"), Type: "string"}, {Path: path(t, ".spec.size"), Type: "integer"},
		{Path: path(t, ".spec.color"), Type: "string"}, {Path: path(t, ".status.phase"), Type: "string"},
		{Path: path(t, ".spec.owner"), Type: "string"}, {Path: path(t, ".metadata.creationTimestamp"), Type: "date"},
	}
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for object, want := range map[string]string{
		`{"metadata":{"name":"a","creationTimestamp":"2024-05-06T07:08:04Z"},"spec":{"size":3,"color":"blue","owner":"me"}}`:              `["a",3,"blue",null,"me","5s"]`,
		`{"metadata":{"name":"b","creationTimestamp":"2024-05-06T07:08:04Z"},"spec":{"size":1,"color":"red"}}`:                            `["b",1,"red",null,null,"5s"]`,
		`{"metadata":{"name":"a","creationTimestamp":"2024-05-06T07:08:04Z"},"spec":{"size":1,"color":"red"},"status":{"phase":"Ready"}}`: `["a",1,"red","Ready",null,"5s"]`,
	} {
		var cells []any
		for _, c := range columns {
			cells = append(cells, c.Cell(parse(t, object), now))
		}
		got, err := json.Marshal(cells)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

func TestHumanDuration(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for _, test := range []struct {
		d    time.Duration
		want string
	}{
		{-2 * time.Second, "<invalid>"}, {-2*time.Second + 1, "0s"}, {-1, "0s"}, {0, "0s"}, {999 * time.Millisecond, "0s"},
		{time.Second, "1s"},
		{2*time.Minute - 1, "119s"}, {2 * time.Minute, "2m"}, {2*time.Minute + time.Second, "2m1s"},
		{10*time.Minute - 1, "9m59s"},
		{10 * time.Minute, "10m"}, {3*time.Hour - 1, "179m"}, {3 * time.Hour, "3h"}, {3*time.Hour + 59*time.Second, "3h"},
		{8*time.Hour - 1, "7h59m"}, {8 * time.Hour, "8h"}, {2*day - 1, "47h"}, {2 * day, "2d"}, {2*day + time.Hour, "2d1h"},
		{8*day - 1, "7d23h"}, {8 * day, "8d"}, {2*year - 1, "729d"}, {2 * year, "2y"}, {2*year + day, "2y1d"},
		{8*year - 1, "7y364d"},
		{8 * year, "8y"}, {9*year + 300*day, "9y"}, {1<<63 - 1, "292y"}, {-1 << 63, "<invalid>"},
	} {
		assert.Equal(t, test.want, table.HumanDuration(test.d), test.d.String())
	}
}

// A search ends after a bounded number of steps, for any path and any object. Without the bound, it takes hours.
func TestSearchIsBounded(t *testing.T) {
	object := parse(t, strings.Repeat(`{"a":[`, 20)+`[`+strings.Repeat(`{"b":1},`, 50_000)+`{}]`+strings.Repeat(`]}`, 20))
	for _, text := range []string{"..a..a..a..a..a..c", "..[*,0]..[*,0]..[*,0]..c", "..[?(@..a..a..c)]..[?(@..a..a..c)].c",
		strings.Repeat("...*", 1000)} {
		_, found := path(t, text).First(object)
		assert.False(t, found, text)
	}
}

func ExampleParsePath() {
	ready, _ := table.ParsePath(`.status.conditions[?(@.type=="Ready")].status`)
	object, _, _ := codec.DecodeJSON([]byte(`{"status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True"}]}}`))
	v, found := ready.First(object)
	fmt.Println(v.Text(), found)
	// Output: True true
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{".", ".a.b[0]", `.a[?(@.b=="c")].d`, `['x\'y']`, ".a[*].*", ".a[?(@.b<=-1.5)]", `.a\.b`,
		"[?(@)]", ".a[?(@.b[?(@.c)]==true)]", "..a", "..[-1:]['a','b']",
		".a[1:2:3,*]..b", "..a..b..c..[?(@..d==@..e)]"} {
		f.Add(seed)
	}
	object := parse(f, pod)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := table.ParsePath(text)
		if err != nil {
			return
		}
		first, found := p.First(object)
		assert.Equal(t, found, !first.IsAbsent())
		var parts *codec.Parts
		for _, names := range p.Members() {
			parts = parts.With(names...)
		}
		some, err := parts.Decode(parts.Find(codec.AppendObject(nil, object), 0, nil))
		require.NoError(t, err)
		inParts, _ := p.First(some)
		assert.Equal(t, string(codec.AppendJSON(nil, first)), string(codec.AppendJSON(nil, inParts)),
			"the path leads to the same place in its parts")
		if only, ok := p.Only(); ok {
			var single *codec.Parts
			single = single.With(only...)
			if leaf := single.Leaf(only...); leaf >= 0 {
				at := single.Find(codec.AppendObject(nil, object), 0, nil)[leaf]
				assert.Equal(t, found, at != nil)
				assert.True(t, !found || string(codec.AppendJSON(nil, first)) == string(at),
					"the path leads to the text of its value")
			}
		}
		for _, typ := range []string{"string", "integer", "number", "boolean", "date"} {
			_, err := json.Marshal(table.Column{Path: p, Type: typ}.Cell(object, time.Time{}))
			assert.NoError(t, err, "every cell can be sent")
		}
	})
}

// FuzzCellOfText compares the cells that are made from the text of a value with those of the decoded value.
func FuzzCellOfText(f *testing.F) {
	for _, seed := range []string{`"a<b"`, `"2026-01-02T03:04:05Z"`, `"\u0022"`, `""`, "-0", "0", "12", "-7",
		"123456789012345678", "1234567890123456789", "1.5", "1e3", "true",
		"false", "null", "[1]", `{"a":1}`} {
		f.Add([]byte(seed))
	}
	now := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil {
			return
		}
		for _, typ := range []string{"string", "integer", "number", "boolean", "date"} {
			column := table.Column{Path: path(t, "."), Type: typ}
			got, ok := column.AppendText([]byte("before"), codec.AppendJSON(nil, v), now)
			want := []byte("before")
			if ok {
				cell, err := codec.FromGo(column.Cell(v, now))
				require.NoError(t, err)
				want = codec.AppendJSON(want, cell)
			}
			assert.Equal(t, string(want), string(got), "%s as %s", data, typ)
		}
	})
}

func BenchmarkCell(b *testing.B) {
	object := parse(b, pod)
	now := time.Now()
	for _, column := range []table.Column{
		{Path: path(b, ".metadata.name"), Type: "string"},
		{Path: path(b, `.status.conditions[?(@.type=="Ready")].status`), Type: "string"},
	} {
		b.Run(column.Path.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				column.Cell(object, now)
			}
		})
	}
}
