package docpatch_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ship is a kind with a field for each way of merging.
type ship struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata"`
	Spec               shipSpec `json:"spec"`
}

type shipSpec struct {
	Name     string            `json:"name,omitempty"`
	Masts    int32             `json:"masts,omitempty"`
	Afloat   *bool             `json:"afloat,omitempty"`
	Tonnage  float64           `json:"tonnage,omitempty"`
	Launched apimeta.Time      `json:"launched,omitzero"`
	Log      []byte            `json:"log,omitempty"`
	Flags    map[string]string `json:"flags,omitempty"`
	Crew     []sailor          `json:"crew,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	Ports    []string          `json:"ports,omitempty" patchStrategy:"merge"`
	Route    []string          `json:"route,omitempty"`
	Cargo    []crate           `json:"cargo,omitempty"`
	Hull     hull              `json:"hull,omitzero" patchStrategy:"retainKeys"`
	Owner    *hull             `json:"owner,omitempty" patchStrategy:"replace"`
	Keyless  []crate           `json:"keyless,omitempty" patchStrategy:"merge"`
	Decks    [][]string        `json:"decks,omitempty" patchStrategy:"merge"`
	Fresh    []string          `json:"fresh,omitempty" patchStrategy:"retainKeys,merge"`
	Odd      []string          `json:"odd,omitempty" patchStrategy:"merge,union"`
	Charts   map[string]hull   `json:"charts,omitempty"`
	Berth    berth             `json:"berth,omitempty"`
	Depth    depth             `json:"depth,omitempty"`
}

// berth is a number or a name.
type berth struct{}

func (*berth) UnmarshalJSON([]byte) error   { return nil }
func (berth) OpenAPIV3OneOfTypes() []string { return []string{"integer", "string"} }

// depth is a number or a text with a unit.
type depth struct{}

func (*depth) UnmarshalJSON([]byte) error   { return nil }
func (depth) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

type sailor struct {
	Name  string  `json:"name"`
	Rank  string  `json:"rank,omitempty"`
	Tools []crate `json:"tools,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"id"`
}

type crate struct {
	ID   int64  `json:"id,omitempty"`
	Mark string `json:"mark,omitempty"`
}

type hull struct {
	Wood  string `json:"wood,omitempty"`
	Steel string `json:"steel,omitempty"`
}

func shipSchema(t testing.TB) *schema.Schema {
	s, err := schema.Derive(reflect.TypeFor[ship](), schema.Options{Builtin: true})
	require.NoError(t, err)
	return s
}

func parseStrategic(t testing.TB, body string) docpatch.StrategicMergePatch {
	p, err := docpatch.ParseStrategicMergePatch([]byte(body))
	require.NoError(t, err, "%s", body)
	return p
}

func TestStrategicMerge(t *testing.T) {
	for _, c := range []struct{ name, spec, patch, want string }{
		{"scalars", `{"name":"a","masts":2}`, `{"masts":3,"afloat":true}`, `{"afloat":true,"masts":3,"name":"a"}`},
		{"null removes a member", `{"name":"a","masts":2}`, `{"masts":null,"tonnage":null}`, `{"name":"a"}`},
		{"maps merge", `{"flags":{"a":"1","b":"2"}}`, `{"flags":{"b":null,"c":"3"}}`, `{"flags":{"a":"1","c":"3"}}`},
		{"a new map loses its nulls", `{}`, `{"flags":{"a":"1","b":null},"cargo":[{"id":null,"mark":"x"}]}`,
			`{"cargo":[{"mark":"x"}],"flags":{"a":"1"}}`},
		{"a plain list is replaced", `{"route":["a","b"]}`, `{"route":["c"]}`, `{"route":["c"]}`},
		{"a plain list of maps is replaced as it stands", `{"cargo":[{"id":1}]}`,
			`{"cargo":[{"id":2,"mark":null},{"$patch":"delete","id":1}]}`,
			`{"cargo":[{"id":2,"mark":null},{"$patch":"delete","id":1}]}`},
		{"a struct with the strategy replace is replaced", `{"owner":{"wood":"oak"}}`, `{"owner":{"steel":"x"}}`,
			`{"owner":{"steel":"x"}}`},

		{"$patch replaces a map", `{"flags":{"a":"1","b":"2"}}`, `{"flags":{"$patch":"replace","c":"3"}}`,
			`{"flags":{"c":"3"}}`},
		{"$patch deletes a map", `{"flags":{"a":"1"}}`, `{"flags":{"$patch":"delete"}}`, `{"flags":{}}`},
		{"$patch of a map that is not there", `{}`, `{"flags":{"$patch":"replace","c":"3"},"hull":{"$patch":"delete"}}`,
			`{}`},
		{"$patch below a map that is not there", `{}`,
			`{"crew":[{"name":"a","tools":[{"$patch":"delete","id":1},{"id":2}]}]}`,
			`{"crew":[{"name":"a","tools":[{"id":2}]}]}`},
		{"$patch of null in a new map is null", `{}`, `{"flags":{"$patch":null,"a":"1"}}`, `{"flags":{"a":"1"}}`},

		{"elements merge by key", `{"crew":[{"name":"a","rank":"mate"},{"name":"b"}]}`,
			`{"crew":[{"name":"b","rank":"cook"}]}`, `{"crew":[{"name":"a","rank":"mate"},{"name":"b","rank":"cook"}]}`},
		{"the elements of the patch come in its order", `{"crew":[{"name":"a"},{"name":"b"},{"name":"c"}]}`,
			`{"crew":[{"name":"d"},{"name":"c"},{"name":"b"}]}`,
			`{"crew":[{"name":"d"},{"name":"a"},{"name":"c"},{"name":"b"}]}`},
		{"lists in elements merge too", `{"crew":[{"name":"a","tools":[{"id":1,"mark":"x"},{"id":2}]}]}`,
			`{"crew":[{"name":"a","tools":[{"id":1,"mark":"y"},{"id":3},{"$patch":"delete","id":2}]}]}`,
			`{"crew":[{"name":"a","tools":[{"id":1,"mark":"y"},{"id":3}]}]}`},
		{"numbers are keys by value", `{"crew":[{"name":"a","tools":[{"id":10,"mark":"x"}]}]}`,
			`{"crew":[{"name":"a","tools":[{"id":1e1,"mark":"y"}]}]}`, `{"crew":[{"name":"a","tools":[{"id":10,"mark":"y"}]}]}`},
		{"a key that stands in the patch twice", `{"crew":[]}`, `{"crew":[{"name":"a","rank":"x"},{"name":"a","rank":"y"}]}`,
			`{"crew":[{"name":"a","rank":"y"}]}`},
		{"a key that stands in the list twice", `{"crew":[{"name":"a"},{"name":"a"}]}`, `{"crew":[{"name":"a","rank":"x"}]}`,
			`{"crew":[{"name":"a","rank":"x"},{"name":"a"}]}`},
		{"a null key is a key", `{"crew":[{"name":"a"}]}`, `{"crew":[{"name":null}]}`,
			`{"crew":[{"name":null},{"name":"a"}]}`},
		{"$patch deletes an element", `{"crew":[{"name":"a"},{"name":"b"},{"name":"a"}]}`,
			`{"crew":[{"$patch":"delete","name":"a"},{"$patch":"delete","name":"none"}]}`, `{"crew":[{"name":"b"}]}`},
		{"an element that is deleted and comes back is new", `{"crew":[{"name":"a","rank":"x"},{"name":"b"}]}`,
			`{"crew":[{"name":"a"},{"$patch":"delete","name":"a"}]}`, `{"crew":[{"name":"a"},{"name":"b"}]}`},
		{"$patch replaces a list", `{"crew":[{"name":"a"},{"name":"b"}]}`,
			`{"crew":[{"name":"c"},{"$patch":"replace"},{"name":"a"}]}`, `{"crew":[{"name":"c"},{"name":"a"}]}`},
		{"$patch empties a list", `{"crew":[{"name":"a"}]}`, `{"crew":[{"$patch":"replace"}]}`, `{"crew":[]}`},
		{"an empty list merges to nothing new", `{"crew":[{"name":"a"}],"ports":["x"]}`, `{"crew":[],"ports":[]}`,
			`{"crew":[{"name":"a"}],"ports":["x"]}`},
		{"two empty lists", `{"crew":[]}`, `{"crew":[]}`, `{"crew":[]}`},
		{"null removes a list", `{"crew":[{"name":"a"}],"ports":["x"]}`, `{"crew":null,"ports":null}`, `{}`},
		{"directives in a new element are members", `{"crew":[{"name":"a"}]}`,
			`{"crew":[{"name":"b","$retainKeys":["name"],"rank":null}]}`,
			`{"crew":[{"$retainKeys":["name"],"name":"b","rank":null},{"name":"a"}]}`},

		{"scalars are a set", `{"ports":["a","b","c"]}`, `{"ports":["d","c","d"]}`, `{"ports":["d","a","b","c"]}`},
		{"duplicate scalars", `{"ports":["a","b","a"]}`, `{"ports":["c"]}`, `{"ports":["c","a","b"]}`},
		{"$deleteFromPrimitiveList", `{"ports":["a","b","c","a"]}`, `{"$deleteFromPrimitiveList/ports":["a","none"]}`,
			`{"ports":["b","c"]}`},
		{"$deleteFromPrimitiveList of a plain list", `{"route":["a","b"]}`, `{"$deleteFromPrimitiveList/route":["a"]}`,
			`{"route":["b"]}`},
		{"$deleteFromPrimitiveList and additions", `{"ports":["a","b"]}`,
			`{"$deleteFromPrimitiveList/ports":["a"],"ports":["c"]}`, `{"ports":["c","b"]}`},
		{"$deleteFromPrimitiveList of nothing", `{}`,
			`{"$deleteFromPrimitiveList/ports":["a"],"$deleteFromPrimitiveList/":["a"]}`, `{}`},
		{"$deleteFromPrimitiveList is not a list", `{"ports":["a"]}`, `{"$deleteFromPrimitiveList/ports":"a"}`,
			`{"ports":["a"]}`},
		{"$deleteFromPrimitiveList of all", `{"ports":["a"]}`, `{"$deleteFromPrimitiveList/ports":null}`, `{}`},

		{"$retainKeys", `{"hull":{"wood":"oak"}}`, `{"hull":{"$retainKeys":["steel"],"steel":"x"}}`,
			`{"hull":{"steel":"x"}}`},
		{"$retainKeys keeps what it names", `{"flags":{"a":"1","b":"2","c":"3"}}`,
			`{"flags":{"$retainKeys":["a","c",5,null],"b":null,"c":"4"}}`, `{"flags":{"a":"1","c":"4"}}`},
		{"$retainKeys lets other directives be", `{"ports":["a","b"],"name":"x"}`,
			`{"$retainKeys":["ports"],"$setElementOrder/ports":["b","a"],"$deleteFromPrimitiveList/ports":[]}`,
			`{"ports":["b","a"]}`},

		{"$setElementOrder", `{"crew":[{"name":"a"},{"name":"b"},{"name":"c"}]}`,
			`{"$setElementOrder/crew":[{"name":"c"},{"name":"a"},{"name":"b"}]}`,
			`{"crew":[{"name":"c"},{"name":"a"},{"name":"b"}]}`},
		{"$setElementOrder that does not know all", `{"crew":[{"name":"a"},{"name":"b"},{"name":"c"}]}`,
			`{"$setElementOrder/crew":[{"name":"c"},{"name":"a"}]}`, `{"crew":[{"name":"b"},{"name":"c"},{"name":"a"}]}`},
		{"$setElementOrder with a patch", `{"crew":[{"name":"a"},{"name":"b"},{"name":"c"}]}`,
			`{"$setElementOrder/crew":[{"name":"d"},{"name":"b"},{"name":"a"}],"crew":[{"name":"d","rank":"x"},{"$patch":"delete","name":"c"},{"name":"b","rank":"y"}]}`,
			`{"crew":[{"name":"d","rank":"x"},{"name":"b","rank":"y"},{"name":"a"}]}`},
		{"$setElementOrder of a new list", `{}`,
			`{"$setElementOrder/crew":[{"name":"b"},{"name":"a"}],"crew":[{"name":"b"},{"name":"a"},{"$patch":"delete","name":"c"}]}`,
			`{"crew":[{"name":"b"},{"name":"a"}]}`},
		{"$setElementOrder of nothing", `{}`, `{"$setElementOrder/crew":[{"name":"b"}]}`, `{}`},
		{"$setElementOrder of scalars", `{"ports":["a","b","c"]}`, `{"$setElementOrder/ports":["c","x","a"],"ports":["x"]}`,
			`{"ports":["b","c","x","a"]}`},
		{"$setElementOrder of a plain list", `{"route":["a","b"]}`, `{"$setElementOrder/route":["b","a"],"route":["b","a"]}`,
			`{"route":["b","a"]}`},
		{"$setElementOrder with a deletion", `{"ports":["a","b","c"]}`,
			`{"$setElementOrder/ports":["c","a"],"$deleteFromPrimitiveList/ports":["b"]}`, `{"ports":["c","a"]}`},
		{"$setElementOrder after $patch replace", `{"crew":[{"name":"a"}]}`,
			`{"$setElementOrder/crew":[{"name":"c"},{"name":"b"},{"name":"z"}],"crew":[{"$patch":"replace"},{"name":"c"},{"name":"b"}]}`,
			`{"crew":[{"name":"c"},{"name":"b"}]}`},
		{"an element that is deleted and comes back, ordered", `{"crew":[{"name":"a"},{"name":"b"}]}`,
			`{"$setElementOrder/crew":[{"name":"a"}],"crew":[{"$patch":"delete","name":"a"},{"name":"a"}]}`,
			`{"crew":[{"name":"b"},{"name":"a"}]}`},
		{"the strategy stands second", `{"fresh":["a"]}`, `{"fresh":["b"]}`, `{"fresh":["b","a"]}`},
		{"unknown members stay", `{"name":"a"}`, `{"sails":3}`, `{"name":"a","sails":3}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parse(t, []byte(`{"spec":`+c.spec+`}`))
			before := text(d)
			got, err := parseStrategic(t, `{"spec":`+c.patch+`}`).Apply(d, shipSchema(t))
			require.NoError(t, err)
			assert.Equal(t, `{"spec":`+c.want+`}`, text(got))
			assert.Equal(t, before, text(d), "the document was changed in place")
		})
	}
}

func TestStrategicMergeOfMetadata(t *testing.T) {
	d := parse(t, []byte(`{"metadata":{"finalizers":["a","b"],"ownerReferences":[{"uid":"1","name":"x"},{"uid":"2","name":"y"}]}}`))
	p := parseStrategic(t, `{"metadata":{"finalizers":["c","a"],"ownerReferences":[{"uid":"2","name":"z"},{"uid":"1","$patch":"delete"}]}}`)
	got, err := p.Apply(d, shipSchema(t))
	require.NoError(t, err)
	assert.Equal(t, `{"metadata":{"finalizers":["c","a","b"],"ownerReferences":[{"name":"z","uid":"2"}]}}`, text(got))
}

func TestStrategicMergeOfTheWhole(t *testing.T) {
	d := parse(t, []byte(`{"kind":"Ship","spec":{"name":"a"}}`))
	for _, c := range []struct{ name, patch, want string }{
		{"nothing", `{}`, `{"kind":"Ship","spec":{"name":"a"}}`},
		{"null", `null`, `{"kind":"Ship","spec":{"name":"a"}}`},
		{"replace", `{"$patch":"replace","kind":"Boat"}`, `{"kind":"Boat"}`},
		{"delete", `{"$patch":"delete"}`, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStrategic(t, c.patch).Apply(d, shipSchema(t))
			require.NoError(t, err)
			assert.Equal(t, c.want, text(got))
		})
	}
	t.Run("an absent document", func(t *testing.T) {
		got, err := parseStrategic(t, `{"kind":"Ship"}`).Apply(doc.Value{}, shipSchema(t))
		require.NoError(t, err)
		assert.Equal(t, `{"kind":"Ship"}`, text(got))
	})
}

func TestStrategicMergeErrors(t *testing.T) {
	const generic = "the server rejected our request due to an error in our request"
	spec := `{"name":"a","flags":{"a":"1"},"crew":[{"name":"a"},{"name":"b"}],"ports":["x","y"],"route":["r"],"cargo":[{"id":1}],` +
		`"keyless":[{"id":1}],"decks":[["a"]],"odd":["a"],"charts":{"a":{"wood":"oak"}},"unknown":{"a":{}}}`
	for _, c := range []struct {
		name, patch string
		code        int
		reason      status.Reason
		want        string
	}{
		{"no merge key", `{"crew":[{"rank":"x"}]}`, 500, "", "map: map[rank:x] does not contain declared merge key: name"},
		{"no merge key to delete", `{"crew":[{"$patch":"delete"}]}`, 500, "",
			"map: map[$patch:delete] does not contain declared merge key: name"},
		{"no merge key in a new list", `{"crew":[{"$patch":"replace"},{"rank":"x"}]}`, 500, "",
			"map: map[rank:x] does not contain declared merge key: name"},
		{"an unknown $patch in a map", `{"flags":{"$patch":"frob"}}`, 500, "",
			"unknown patch type: frob in map: map[$patch:frob]"},
		{"an unknown $patch in an element", `{"crew":[{"$patch":null,"name":"a"}]}`, 500, "",
			"unknown patch type: %!s(<nil>) in map: map[$patch:<nil> name:a]"},
		{"$patch merge in a map", `{"flags":{"$patch":"merge"}}`, 500, "",
			"unknown patch type: merge in map: map[$patch:merge]"},
		{"$patch merge in an element", `{"crew":[{"$patch":"merge","name":"a"}]}`, 500, "",
			"merging lists cannot yet be specified in the patch"},
		{"a scalar among maps", `{"crew":["a"]}`, 500, "",
			"list element types are not identical: [[map[name:a] map[name:b]] [a]]"},
		{"a null among maps", `{"crew":[null]}`, 500, "",
			"list element types are not identical: [[map[name:a] map[name:b]] [<nil>]]"},
		{"a list among maps", `{"$setElementOrder/crew":[],"crew":[[]]}`, 500, "",
			"list element types are not identical: [[map[name:a] map[name:b]] [[]]]"},
		{"merged without a key", `{"keyless":[{"id":1}]}`, 500, "", "cannot merge lists without merge key for struct"},
		{"lists of lists in the schema", `{"decks":[["b"]]}`, 500, "", "unexpected slice of slice"},
		{"an unknown strategy", `{"odd":["b"]}`, 500, "", "unexpected patch strategy: [merge union]"},
		{"a map in a map without fields", `{"charts":{"a":{"wood":"x"}}}`, 500, "",
			"merging an object in json but data type is not struct, instead is: map"},
		{"a map that the schema does not know", `{"unknown":{"a":1}}`, 500, "",
			`unable to find api field in struct shipSpec for the json field "unknown"`},

		{"$retainKeys is not a list", `{"flags":{"$retainKeys":"a"}}`, 400, status.ReasonBadRequest,
			"invalid patch format of retainKeys"},
		{"$retainKeys with a map", `{"flags":{"$retainKeys":[{}]}}`, 400, status.ReasonBadRequest,
			"invalid patch format of retainKeys"},
		{"$retainKeys that lacks a member", `{"flags":{"$retainKeys":["a"],"b":"1"}}`, 400, status.ReasonBadRequest,
			"invalid patch format of retainKeys"},
		{"$deleteFromPrimitiveList of no field", `{"$deleteFromPrimitiveList":["a"]}`, 400, status.ReasonBadRequest,
			"invalid patch format of primitive list"},
		{"$deleteFromPrimitiveList of maps", `{"$deleteFromPrimitiveList/cargo":[{"id":1}]}`, 500, "",
			"cannot merge lists without merge key for struct"},
		{"$deleteFromPrimitiveList of mixed values", `{"$deleteFromPrimitiveList/ports":["x",1]}`, 500, "",
			"list element types are not identical: [[x y] [x 1]]"},
		{"$setElementOrder of no field", `{"$setElementOrder":[]}`, 400, status.ReasonBadRequest,
			"invalid patch format of setElementOrder list"},
		{"$setElementOrder is not a list", `{"$setElementOrder/crew":"a"}`, 500, "",
			"expected a []interface {}, but received a string"},
		{"$setElementOrder that is null", `{"$setElementOrder/crew":null}`, 500, "",
			"expected a []interface {}, but received a %!s(<nil>)"},
		{"$setElementOrder of a scalar", `{"$setElementOrder/name":[]}`, 500, "",
			"expected a []interface {}, but received a string"},
		{"$setElementOrder of an unknown field", `{"$setElementOrder/sails":[]}`, 500, "",
			`unable to find api field in struct shipSpec for the json field "sails"`},
		{"$setElementOrder of a field that is not a list", `{"$setElementOrder/masts":[]}`, 500, "",
			"expected slice or array type, but got: struct"},
		{"$setElementOrder in another order", `{"$setElementOrder/ports":["x","z"],"ports":["z","x"]}`, 500, "",
			"The order in patch list:\n[z x]\n doesn't match $setElementOrder list:\n[x z]\n"},
		{"$setElementOrder that lacks an element", `{"$setElementOrder/ports":["x","y"],"ports":["z"]}`, 500, "",
			"The order in patch list:\n[z]\n doesn't match $setElementOrder list:\n[x y]\n"},
		{"$setElementOrder of a new list of this and that", `{"$setElementOrder/fresh":[],"fresh":["x",1]}`, 500, "",
			"list element types are not identical: [[] [x 1]]"},
		{"$setElementOrder that ends before a directive",
			`{"$setElementOrder/crew":[{"name":"a"}],"crew":[{"name":"a"},{"$patch":"replace"}]}`, 500, "",
			"The order in patch list:\n[map[name:a] map[$patch:replace]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n"},
		{"$setElementOrder without keys", `{"$setElementOrder/crew":[{"rank":"a"}]}`, 500, "",
			"map: map[rank:a] does not contain declared merge key: name"},
		{"$setElementOrder of scalars for maps", `{"$setElementOrder/crew":["a"],"crew":[{"name":"a"}]}`, 500, "",
			"expected a map[string]interface {}, but received a string"},
		{"$setElementOrder of maps without a key", `{"$setElementOrder/cargo":[]}`, 500, "",
			"cannot merge lists without merge key for struct"},
		{"$setElementOrder of empty lists", `{"$setElementOrder/crew":[],"$setElementOrder/log":[]}`, 500, "",
			"expected slice or array type, but got: struct"},

		{"a list of lists", `{"ports":null,"hull":{"wood":[]}}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[hull:map[wood:[]] ports:<nil>]]": unrecognized type: string`},
		{"a map for a list", `{"crew":{"name":"a"}}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[crew:map[name:a]]]": cannot restore slice from map`},
		{"a string for a map", `{"flags":"a"}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[flags:a]]": cannot restore map from string`},
		{"a list for a struct", `{"hull":[1]}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[hull:[1]]]": cannot restore struct from: slice`},
		{"a string for a boolean", `{"afloat":"yes"}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[afloat:yes]]": unrecognized type: bool`},
		{"a number for a string", `{"name":5}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[name:5]]": cannot convert int64 to string`},
		{"a fraction for an integer", `{"masts":1.5}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[masts:1.5]]": cannot convert float64 to int32`},
		{"an integer that is too large", `{"masts":4294967296}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[masts:4294967296]]": cannot convert int64 to int32`},
		{"a string for a number", `{"tonnage":"5"}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[tonnage:5]]": unrecognized type: float64`},
		{"a number for bytes", `{"log":5}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[log:5]]": cannot restore slice from int64`},
		{"no base64", `{"log":"!"}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[log:!]]": error decoding from json: illegal base64 data at input byte 0`},
		{"a number for a time", `{"launched":5}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[launched:5]]": json: cannot unmarshal number into Go value of type string`},
		{"no time", `{"launched":"x"}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[launched:x]]": parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`},
		{"a boolean for an integer or a string", `{"berth":true}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[berth:true]]": json: cannot unmarshal bool into Go value of type int32`},
		{"a boolean for a string or a number", `{"depth":true}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[depth:true]]": spec.depth: Invalid value: "boolean": spec.depth in body must be of type string,number: "boolean"`},
		{"a boolean in an element", `{"cargo":[{"id":true}]}`, 422, status.ReasonInvalid,
			` "" is invalid: patch: Invalid value: "map[spec:map[cargo:[map[id:true]]]]": unrecognized type: int64`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStrategic(t, `{"spec":`+c.patch+`}`).Apply(parse(t, []byte(`{"spec":`+spec+`}`)), shipSchema(t))
			requireStatus(t, err, c.code, c.reason, c.want)
			assert.True(t, got.IsAbsent())
		})
	}
	t.Run("lists in a list of scalars", func(t *testing.T) {
		_, err := parseStrategic(t, `{"spec":{"ports":[["a"]]}}`).Apply(parse(t, []byte(`{"spec":{"ports":[]}}`)),
			shipSchema(t))
		requireStatus(t, err, 422, status.ReasonInvalid, generic)
		assert.EqualError(t, errors.Unwrap(err), "lists of lists are not supported")
	})
	t.Run("scalars in a list with a key", func(t *testing.T) {
		_, err := parseStrategic(t, `{"spec":{"crew":["a"]}}`).Apply(parse(t, []byte(`{"spec":{"crew":[]}}`)), shipSchema(t))
		requireStatus(t, err, 500, "", "expected a map[string]interface {}, but received a string")
	})
	t.Run("an order of empty lists", func(t *testing.T) {
		_, err := parseStrategic(t, `{"spec":{"$setElementOrder/crew":[]}}`).Apply(parse(t, []byte(`{"spec":{"crew":[]}}`)),
			shipSchema(t))
		requireStatus(t, err, 500, "", "no elements in any of the given slices")
	})
	t.Run("an old element without its key", func(t *testing.T) {
		_, err := parseStrategic(t, `{"spec":{"crew":[{"name":"a"}]}}`).Apply(parse(t,
			[]byte(`{"spec":{"crew":[{"rank":"x"}]}}`)), shipSchema(t))
		requireStatus(t, err, 500, "", "map: map[rank:x] does not contain declared merge key: name")
	})
	t.Run("no schema", func(t *testing.T) {
		_, err := parseStrategic(t, `{}`).Apply(parse(t, []byte(`{}`)), nil)
		requireStatus(t, err, 400, status.ReasonBadRequest, "strategic merge patch format is not supported")
	})
	t.Run("the cause names the patch", func(t *testing.T) {
		_, err := parseStrategic(t, `{"spec":{"masts":"x"}}`).Apply(parse(t, []byte(`{}`)), shipSchema(t))
		e := status.From(err)
		require.Len(t, e.Status.Details.Causes, 1)
		assert.Equal(t, status.Cause{Type: status.CauseInvalid, Field: "patch",
			Message: `Invalid value: "map[spec:map[masts:x]]": unrecognized type: int32`}, e.Status.Details.Causes[0])
		assert.Empty(t, e.Status.Details.Kind+e.Status.Details.Name)
	})
}

func TestParseStrategicMergePatchErrors(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"a list", `[]`, "json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"a string", `"x"`, "json: cannot unmarshal string into Go value of type map[string]interface {}"},
		{"a boolean", `true`, "json: cannot unmarshal bool into Go value of type map[string]interface {}"},
		{"cut off", `{"data"`, "invalid JSON patch"},
		{"nothing", ``, "invalid JSON patch"},
		{"too deep", strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001), "invalid JSON patch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := docpatch.ParseStrategicMergePatch([]byte(c.patch))
			requireStatus(t, err, 400, status.ReasonBadRequest, c.want)
		})
	}
}

func TestStrategicMergePatchWarnings(t *testing.T) {
	p := parseStrategic(t, `{"data":{"a":"1","a":"2"},"list":[{"\u0001":1,"\u0001":2}]}`)
	assert.Equal(t, []string{`duplicate field "data.a"`, `duplicate field "list[0].\x01"`}, p.Warnings())
}

// Apply returns unchanged parts as they are, so a caller sees cheaply that nothing changed.
func TestStrategicMergeSharesWhatDoesNotChange(t *testing.T) {
	d := parse(t, []byte(`{"spec":{"name":"a","flags":{"a":"1"},"crew":[{"name":"a","rank":"x"},{"name":"b"}],"ports":["x","y"]}}`))
	for _, body := range []string{
		`{}`, `{"spec":{}}`, `{"spec":{"name":"a","masts":null}}`, `{"spec":{"crew":[{"name":"b"}]}}`,
		`{"spec":{"crew":[{"name":"a","rank":"x"}]}}`,
		`{"spec":{"ports":["x","y"]}}`, `{"spec":{"$deleteFromPrimitiveList/ports":["none"]}}`,
		`{"spec":{"crew":[{"$patch":"delete","name":"none"}]}}`,
		`{"spec":{"$setElementOrder/crew":[{"name":"a"},{"name":"b"}],"crew":[{"name":"b"}]}}`,
		`{"spec":{"$retainKeys":["name","flags","crew","ports"]}}`,
	} {
		got, err := parseStrategic(t, body).Apply(d, shipSchema(t))
		require.NoError(t, err)
		assert.True(t, d == got, "%s", body)
	}
	got, err := parseStrategic(t, `{"spec":{"crew":[{"name":"b","rank":"y"}]}}`).Apply(d, shipSchema(t))
	require.NoError(t, err)
	assert.True(t, d.Lookup("spec", "flags") == got.Lookup("spec", "flags"))
	assert.True(t, d.Lookup("spec", "crew").At(0) == got.Lookup("spec", "crew").At(0))
}

// Long lists use an index, which must give the same result as a scan.
func TestStrategicMergeOfLongLists(t *testing.T) {
	for _, n := range []int{15, 16, 17, 18, 200} {
		list := func(from, to int, rank string) string {
			var b strings.Builder
			for i := from; i < to; i++ {
				fmt.Fprintf(&b, `,{"name":"%03d"%s}`, i, rank)
			}
			return b.String()[1:]
		}
		d := parse(t, []byte(`{"spec":{"crew":[`+list(0, n, "")+`]}}`))
		p := parseStrategic(t, `{"spec":{"crew":[`+list(n/2, 2*n, `,"rank":"x"`)+`,{"$patch":"delete","name":"001"}]}}`)
		got, err := p.Apply(d, shipSchema(t))
		require.NoError(t, err)
		assert.Equal(t, `{"spec":{"crew":[{"name":"000"},`+list(2, n/2, "")+`,`+list(n/2, 2*n, `,"rank":"x"`)+`]}}`,
			text(got))
	}
}

func TestStrategicMergeOfALongListWithAKeyTwice(t *testing.T) {
	crew := strings.Repeat(`{"name":"a"},`, 20) + `{"name":"b"}`
	d := parse(t, []byte(`{"spec":{"crew":[`+crew+`]}}`))
	got, err := parseStrategic(t, `{"spec":{"crew":[{"name":"a","rank":"x"}]}}`).Apply(d, shipSchema(t))
	require.NoError(t, err)
	assert.Equal(t, `{"spec":{"crew":[{"name":"a","rank":"x"}`+crew[len(`{"name":"a"}`):]+`]}}`, text(got))
}

// The cost of a list grows linearly with its length, so a body of 3 MiB cannot stall the server.
func TestStrategicMergeOfVeryLongLists(t *testing.T) {
	var crew, ports, order strings.Builder
	const n = 40_000
	for i := range n {
		fmt.Fprintf(&crew, `,{"name":"%d"}`, i)
		fmt.Fprintf(&ports, `,"%d"`, i)
		fmt.Fprintf(&order, `,{"name":"%d"}`, n-1-i)
	}
	d := parse(t, []byte(`{"spec":{"crew":[`+crew.String()[1:]+`],"ports":[`+ports.String()[1:]+`]}}`))
	p := parseStrategic(t,
		`{"spec":{"$setElementOrder/crew":[`+order.String()[1:]+`],"$deleteFromPrimitiveList/ports":[`+ports.String()[1:]+
			`],"ports":[`+ports.String()[1:]+`]}}`)
	got, err := p.Apply(d, shipSchema(t))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(n-1), got.Lookup("spec", "crew").At(0).Get("name").Text())
	assert.Equal(t, 0, got.Lookup("spec", "ports").Len())
}

// If no list of a kind merges, a patch without directives gives the result of a merge patch.
func FuzzStrategicMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"spec":{"flags":{"a":"1"},"name":"x"}}`, `{"spec":{"flags":{"a":null,"b":"2"},"route":["x"]}}`},
		{`{"spec":{"crew":[{"name":"a"}],"ports":["x"]}}`,
			`{"spec":{"crew":[{"$patch":"delete","name":"a"},{"name":"b"}],"$setElementOrder/ports":["y","x"],"ports":["y"]}}`},
		{`{"spec":{"hull":{"wood":"x"}}}`,
			`{"spec":{"hull":{"$retainKeys":["steel"],"steel":"y"},"$deleteFromPrimitiveList/ports":["a"]}}`},
		{`{"metadata":{"finalizers":["a"]},"spec":{"masts":1}}`,
			`{"metadata":{"finalizers":["b"]},"spec":{"$patch":"replace","masts":2}}`},
		{`{"spec":{"crew":[{"name":"a","tools":[{"id":1}]}]}}`,
			`{"spec":{"$setElementOrder/crew":[],"crew":[{"name":"c"},{"name":"b"},{"name":"a","tools":[{"id":1},{"id":null}]}]}}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, document, body []byte) {
		d, _, err := codec.DecodeJSON(document)
		if err != nil {
			return
		}
		p, err := docpatch.ParseStrategicMergePatch(body)
		if err != nil {
			return
		}
		s := shipSchema(t)
		before := text(d)
		got, err := p.Apply(d, s)
		require.Equal(t, before, text(d), "the document was changed in place")
		again, errAgain := p.Apply(d, s)
		require.Equal(t, err, errAgain, "another outcome the second time")
		require.Equal(t, text(got), text(again), "another outcome the second time")
		if err != nil {
			require.True(t, got.IsAbsent())
			code := status.CodeOf(err)
			require.Contains(t, []int{400, 422, 500}, code)
			return
		}
		require.True(t, got == d || len(s.CheckTypes(nil, got)) == 0, "the result does not fit the schema")
		if !strings.Contains(text(parse(t, body)), `"$`) && !strings.Contains(text(parse(t, body)), "[") &&
			d.Kind() == got.Kind() {
			m, err := docpatch.ParseMergePatch(body)
			if err == nil {
				require.Equal(t, text(m.Apply(d)), text(got), "a merge patch has another outcome")
			}
		}
	})
}
