//go:build !race

package hostile_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Chest holds things below keys that a client chooses.
type Chest struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ChestSpec `json:"spec,omitzero"`
}

type ChestSpec struct {
	Size    int32             `json:"size,omitempty"`
	Drawers map[string]Drawer `json:"drawers,omitempty"`
	Any     map[string]any    `json:"any,omitempty"`
}

type Drawer struct {
	Size  int32            `json:"size,omitempty"`
	Parts map[string]int32 `json:"parts,omitempty"`
}

// ChestV2 is a Chest in another version, BuiltinChest one of the other dialect.
type (
	ChestV2      Chest
	BuiltinChest Chest
)

const (
	chestsPath  = apitest.ThingsV1 + "/chests"
	builtinPath = apitest.ThingsV1 + "/builtinchests"
)

func newChestServer(t testing.TB) *apitest.ThingServer {
	return apitest.NewThingServer(t, rest.Options{},
		rest.Resource[Chest]{Group: apitest.ThingGroup, Version: "v1", Plural: "chests", Scope: rest.ScopeCluster,
			Versions: []rest.VersionOf[Chest]{rest.Converted[Chest](rest.Resource[ChestV2]{Version: "v2"}, nil, nil)},
			Scale:    &rest.Scale{SpecReplicas: ".spec.size", StatusReplicas: ".spec.size"}},
		rest.Resource[BuiltinChest]{Group: apitest.ThingGroup, Version: "v1", Plural: "builtinchests",
			Scope: rest.ScopeCluster, Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
}

// chestJSON is the body of a Chest with these further members of its metadata and spec.
func chestJSON(name, metadata, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Chest","metadata":{"name":%q%s},"spec":{%s}}`, apitest.ThingGroup,
		name, metadata, spec)
}

func builtinChest(body string) string {
	return strings.Replace(body, `"kind":"Chest"`, `"kind":"BuiltinChest"`, 1)
}

// numbered repeats a part of a text, with a number in it, and drops the last comma.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// The cost of a request in memory, time and bytes of the answer grows with its length, whatever its content. The race
// detector would be measured with it.
func TestCostOfHostileRequests(t *testing.T) {
	const (
		apply = "application/apply-patch+yaml"
		merge = "application/merge-patch+json"
	)
	longKey := strings.Repeat("k", 1<<18)
	below := func(members string) string { return chestJSON("a", "", `"drawers":{"`+longKey+`":{`+members+`}}`) }
	parts := func(format string) string { return `"parts":{` + numbered(format, 20_000) + `}` }
	below5000 := func(members string) string {
		return `"any":` + strings.Repeat(`{"a":`, 5000) + `{` + members + `}` + strings.Repeat("}", 5000)
	}
	deep := below5000(`"a":[` + numbered("%d,", 100_000) + `]`)
	entry := func(manager, fields string) string {
		return `{"manager":"` + manager + `","operation":"%[2]s","apiVersion":"` + apitest.ThingGroup +
			`/v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":` + fields + `},`
	}
	entries := func(operation string, n int) string {
		return numbered(strings.ReplaceAll(entry("m%[1]d", `{"f:spec":{"f:any":{"f:x%[1]d":{}}}}`), "%[2]s", operation), n)
	}
	mine := strings.Replace(entry("me", `{"f:spec":{"f:any":{`+numbered(`"f:k%d":{},`, 8000)+`}}}`), "%[2]s", "Update", 1)
	finalizers := func(prefix string) string { return `"finalizers":[` + numbered(`"`+prefix+`%06d",`, 200_000) + `]` }
	nested := func(members string) string {
		return `"any":` + strings.Repeat(`{"a":`, 2000) + `{` + members + `}` + strings.Repeat("}", 2000)
	}
	long := `"t":"` + strings.Repeat("x", 1<<21) + `"`
	tests := map[string]struct {
		first                        string // the body of an object that is there before
		media, method, target, query string
		body                         string
		code                         int // where it matters
	}{
		"manager in the query": {query: "?fieldManager=" + strings.Repeat("%01", 100_000), body: chestJSON("a", "", "")},
		"manager in the body": {body: chestJSON("a",
			`,"managedFields":[`+strings.NewReplacer("%[1]d", strings.Repeat(`\u0001`, 100_000), "%[2]s",
				"Update").Replace(entry("%[1]d", `{"f:spec":{}}`))+mine[:len(mine)-1]+`]`, "")},
		"finalizers without domain": {first: chestJSON("a", ","+finalizers("a"), ""), media: merge,
			body: `{"metadata":{` + finalizers("b") + `}}`},
		"owners of one uid": {body: chestJSON("a",
			`,"ownerReferences":[`+numbered(`{"uid":"u","name":"%d"},`, 110_000)+`]`, "")},
		"unknown below a long key": {query: "?fieldValidation=Strict", body: below(numbered(`"u%d":1,`, 20_000))},
		"wrong below a long key":   {body: below(parts(`"u%d":"x",`))},
		"unknown below, other dialect": {target: builtinPath, query: "?fieldValidation=Strict",
			body: builtinChest(below(numbered(`"u%d":1,`, 100_000)))},
		"repeated below, other dialect": {target: builtinPath, query: "?fieldValidation=Strict",
			body: builtinChest(below(strings.Repeat(`"size":1,`, 100_000) + `"size":1`)), code: http.StatusBadRequest},
		"objects under one name": {target: builtinPath,
			body: `{"apiVersion":"` + apitest.ThingGroup + `/v1","kind":"BuiltinChest",` + numbered(`"spec":{"k%d":1},`,
				100_000) + `}`},
		"options under one name": {method: "DELETE", target: chestsPath + "/a",
			body: `{` + numbered(`"preconditions":{"k%d":1},`, 100_000) + `}`},
		"conflicts below a long key": {first: below(parts(`"u%d":1,`)), media: apply, query: "?fieldManager=b",
			body: below(parts(`"u%d":2,`))},
		"values in another version": {first: chestJSON("a", "", `"any":{`+numbered(`"k%d":1,`, 40_000)+`}`), media: merge,
			target: "/apis/" + apitest.ThingGroup + "/v2/chests/a",
			body:   `{"spec":{"any":{` + numbered(`"k%d":2,`, 40_000) + `}}}`},
		"many managers of updates": {body: chestJSON("a", `,"managedFields":[`+entries("Update", 12_000)+`]`, "")},
		"many managers and many values": {first: chestJSON("a", `,"managedFields":[`+mine+entries("Apply", 8000)+`]`,
			`"any":{`+numbered(`"k%d":1,`, 8000)+`}`), media: merge, query: "?fieldManager=me",
			body: `{"spec":{"any":{` + numbered(`"k%d":2,`, 8000) + `}}}`},
		"apply of many members": {media: apply, query: "?fieldManager=b",
			body: chestJSON("a", "", `"any":{`+numbered(`"%d":1,`, 280_000)+`}`)},
		"apply to many members": {first: chestJSON("a", `,"managedFields":[{}]`, `"any":{`+numbered(`"%d":1,`, 280_000)+`}`),
			media: apply, query: "?fieldManager=b", body: chestJSON("a", "", `"size":1`)},
		"apply of many values, deep": {media: apply, query: "?fieldManager=b",
			body: chestJSON("a", "", below5000(numbered(`"k%d":1,`, 40_000)))},
		"update of many values, deep": {first: chestJSON("a", "", below5000(numbered(`"k%d":1,`, 40_000))), media: merge,
			query: "?fieldManager=a", body: `{"spec":{` + below5000(numbered(`"k%d":2,`, 40_000)) + `}}`},
		"refused merge patch, nested": {first: chestJSON("a", "", ""), media: merge, query: "?fieldValidation=Strict",
			body: `{"spec":{"unknown":1,` + nested(long) + `}}`, code: http.StatusUnprocessableEntity},
		"refused JSON patch, nested": {first: chestJSON("a", "", nested(long)), media: apitest.TypeJSONPatch,
			query: "?fieldValidation=Strict", body: `[{"op":"add","path":"/spec/any` + strings.Repeat("/a", 2000) +
				`/b","value":1},{"op":"add","path":"/spec/unknown","value":1}]`, code: http.StatusUnprocessableEntity},
		"labels of a Scale, in Protobuf": {first: chestJSON("a", "", `"size":1`),
			media: "application/vnd.kubernetes.protobuf", method: "PUT", target: chestsPath + "/a/scale",
			body: scaleWithLabels(100_000)},
		"indented, nested deeply":      {first: chestJSON("a", "", deep), method: "GET", query: "?pretty=true"},
		"indented YAML, nested deeply": {first: chestJSON("a", "", deep), method: "GET", query: "?yaml"},
		"indented list, nested deeply": {first: chestJSON("a", "", deep), method: "GET", target: chestsPath,
			query: "?pretty=true"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			s := newChestServer(t)
			target, method, header := chestsPath, c.method, []string{"Content-Type", apitest.TypeJSON}
			if c.first != "" {
				w := s.Do("POST", chestsPath+"?fieldManager=a", c.first)
				require.Equal(t, http.StatusCreated, w.Code, "%.300s", w.Body)
				target += "/a"
			}
			if c.media != "" {
				header[1] = c.media
			}
			switch {
			case method != "":
			case c.media == apply || c.media == merge || c.media == apitest.TypeJSONPatch:
				method, target = "PATCH", chestsPath+"/a"
			default:
				method = "POST"
			}
			if c.target != "" {
				target = c.target
			}
			if c.query == "?yaml" {
				header = append(header, "Accept", "application/yaml")
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var w apitest.Answer
			took := apitest.Cost(t, func() { w = s.Do(method, target+c.query, c.body, header...) })
			runtime.ReadMemStats(&after)
			in, allocated := len(c.first)+len(c.body)+len(c.query), int(after.TotalAlloc-before.TotalAlloc)
			t.Logf("%d bytes in, %d out, %d MiB allocated, %v: %d %.200s", in, len(w.Body), allocated>>20, took, w.Code, w.Body)
			assert.Less(t, w.Code, 500)
			assert.True(t, c.code == 0 || c.code == w.Code)
			assert.LessOrEqual(t, len(w.Body), 5*in+1<<20)
			assert.LessOrEqual(t, allocated, 300*in+16<<20)
		})
	}
}

// scaleWithLabels is a Scale in Kubernetes Protobuf with so many labels.
func scaleWithLabels(n int) string {
	field := func(number byte, content string) string {
		length := []byte{}
		for n := len(content); ; n >>= 7 {
			if n < 0x80 {
				length = append(length, byte(n))
				break
			}
			length = append(length, byte(n)|0x80)
		}
		return string(number<<3|2) + string(length) + content
	}
	var labels strings.Builder
	for i := range n {
		labels.WriteString(field(11, field(1, fmt.Sprint("l", i))))
	}
	metadata, spec := field(1, "a")+labels.String(), "\x08\x02" // two replicas
	return "k8s\x00" + field(2, field(1, metadata)+field(2, spec))
}
