package oracle

import (
	"context"
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/table"
)

// upstreamCell returns the cell of a column of a custom resource, or nil if upstream shows none or cannot read the
// path.
func upstreamCell(t *testing.T, object, path string) any {
	t.Helper()
	convertor, err := tableconvertor.New([]apiextensionsv1.CustomResourceColumnDefinition{{Name: "c", Type: "string",
		JSONPath: path}})
	if err != nil {
		return nil
	}
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal([]byte(object), &u.Object))
	rows, err := convertor.ConvertToTable(context.Background(), u, nil)
	require.NoError(t, err)
	return rows.Rows[0].Cells[1]
}

func ourCell(t *testing.T, object, path string) any {
	t.Helper()
	p, err := table.ParsePath(path)
	if err != nil {
		return nil
	}
	v, _, err := codec.DecodeJSON([]byte(object))
	require.NoError(t, err)
	return table.Column{Path: p, Type: table.StringType}.Cell(v, time.Time{})
}

// Where upstream shows a value in a column, so do we, and the same one.
func TestColumnPaths(t *testing.T) {
	const job = `{"metadata":{"name":"n"},"spec":{"size":3,"big":1.5,"on":true,"tags":["x","y","z"],"labels":{"a.b/c":"l"}},` +
		`"status":{"conditions":[{"type":"Created","status":"True","n":1},{"type":"Running","status":"False","n":2},{"type":"Succeeded","status":"True","n":3}]}}`
	for _, path := range []string{
		".metadata.name", "$.metadata.name", "@.metadata.name", ".spec", ".spec.tags", ".spec.big", ".spec.on",
		".spec.missing", ".spec.tags[0]", ".spec.tags[-1]",
		".spec.tags[3]", ".spec.tags[-4]", ".spec.tags[*]", ".spec.tags[:]", ".spec.tags[0:2]", ".spec.tags[1:]",
		".spec.tags[:1]", ".spec.tags[-1:]",
		".spec.tags[-2:-1]", ".spec.tags[::2]", ".spec.tags[1::2]", ".spec.tags[0:3:2]", ".spec.tags[2:1]", ".spec.tags[1:1]",
		".spec.tags[1:9]",
		".spec.tags[2,0]", ".spec.tags[-1:,0]", ".spec.tags[]", ".spec['size']", ".spec['missing','size']",
		".spec['size', 'big']", `.spec.labels.a\.b/c`,
		`.spec.labels['a\.b/c']`, ".status.conditions[-1:].type", ".status.conditions[*].type",
		".status.conditions[*]['missing','type']",
		".status.conditions[*]['type','status']", ".status.conditions[?(@.type=='Running')].status",
		`.status.conditions[?(@.type=="Running")].status`,
		".status.conditions[?(@.type!='Created')].type", ".status.conditions[?(@.n>1)].type",
		".status.conditions[?(@.n<=1)].type", ".status.conditions[?(@.n)].type",
		".status.conditions[?(@['type']=='Running')].n", ".status.conditions[?(@.type==@.type)].type",
		".status.conditions[?(@.n==2)]['n','type']",
		"..type", "..conditions[1].type", ".status..type", "..tags[1]", "..conditions[-1:].n", "..", ".spec..", "..missing",
		"spec.size", ".spec[",
		".status.conditions[0:2][?(@.n)]", ".status.conditions[?(@.type=='Running')]", ".metadata['name','name']",
		".spec.tags.*", ".status.*[0].type",
	} {
		if want := upstreamCell(t, job, path); want != nil {
			assert.Equal(t, want, ourCell(t, job, path), path)
		}
	}
}

// The same for random paths. The maps of the objects have one member, because upstream visits the members of a map in
// random order. There is no *, because upstream takes the bytes of a string for its members.
func TestRandomColumnPaths(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	one := func(of ...string) string { return of[random.Intn(len(of))] }
	var value func(depth int) string
	value = func(depth int) string {
		switch n := random.Intn(6); {
		case depth == 0 || n == 0:
			return one("1", "2", `"x"`, `"y"`, "true")
		case n < 3:
			return `{"` + one("a", "b", "c") + `":` + value(depth-1) + `}`
		}
		var elements []string
		for range random.Intn(4) {
			elements = append(elements, value(depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	shown := 0
	for range 20_000 {
		object := `{"a":` + value(5) + `}`
		path := one(".a", ".a", "..a", "..b")
		for range random.Intn(4) {
			path += one(".a", ".b", ".c", "[*]", "[*]", "[0]", "[1]", "[-1]", "[-1:]", "[1:]", "[:2]", "[0:2]", "[::2]", "[0,1]",
				"[1,0]", "[-1:,0]", "['a','b']", "['b','c']",
				"..a", "..b", "[?(@.a)]", "[?(@.b==1)]", "[?(@.a!='x')]", "[?(@.c=='y')]", "[?(@.a.b)]")
		}
		want := upstreamCell(t, object, path)
		if want == nil {
			continue
		}
		shown++
		require.Equal(t, want, ourCell(t, object, path), "%s of %s", path, object)
	}
	assert.Greater(t, shown, 1000)
}
