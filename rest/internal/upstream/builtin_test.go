package upstream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestBuiltinDialect(t *testing.T) {
	aboutMemo := `{"name":"a","kind":"memos"}`
	t.Run("kind and apiVersion may be left out", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"metadata":{"name":"a"},"data":{"k":"v"}}`), 201, apitest.StoredMemo("2", `,"data":{"k":"v"}`))
	})
	t.Run("nothing at all is an object without a name", func(t *testing.T) {
		for contentType, bodies := range map[string][]string{"application/json": {"null"},
			apitest.TypeYAML: {"", "null", "# nothing"}} {
			for _, body := range bodies {
				apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, body, "Content-Type", contentType),
					422, "Invalid", `Memo "" is invalid: metadata.name: Required value: name or generateName is required`,
					`{"kind":"Memo","causes":[{"field":"metadata.name","message":"Required value: name or generateName is required","reason":"FieldValueRequired"}]}`)
			}
		}
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, "", "Content-Type",
			apitest.TypeYAML), 400, "BadRequest",
			"the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '' (<empty>)", "")
	})
	t.Run("empty fields are dropped", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"kind":"Memo","apiVersion":"v1","metadata":{"name":"a","labels":{},"finalizers":[]},"data":{},"locked":null}`),
			201, apitest.StoredMemo("2", ""))
	})
	t.Run("a wrong type is a bad request", func(t *testing.T) {
		for _, c := range []struct{ body, message string }{
			{`{"metadata":{"name":"a"},"data":{"k":1}}`, "json: cannot unmarshal number into Go struct field Memo.data"},
			{`{"metadata":{"name":"a"},"data":["k"]}`,
				"json: cannot unmarshal array into Go struct field Memo.data of type map[string]string"},
			{`{"metadata":{"name":"a"},"locked":"yes"}`,
				"json: cannot unmarshal string into Go struct field Memo.locked of type bool"},
		} {
			a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, c.body)
			assert.Equal(t, 400, a.Code)
			assert.Equal(t, "BadRequest", a.Text(t, "reason"))
			assert.Contains(t, a.Text(t, "message"), `Memo in version "v1" cannot be handled as a Memo: `+c.message)
		}
	})
	t.Run("PUT needs no version, and no generation is kept", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a"},"data":{"k":"v"}}`), 200,
			apitest.StoredMemo("3", `,"data":{"k":"v"}`))
		apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a",
			`{"metadata":{"name":"a","resourceVersion":"2"}}`), 409, "Conflict",
			`Operation cannot be fulfilled on memos "a": the object has been modified; please apply your changes to the latest version and try again`, aboutMemo)
	})
	t.Run("a finalizer needs a domain", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"metadata":{"name":"a","finalizers":["bare"]}}`), "Memo", "a",
			apitest.Invalid("metadata.finalizers[0]",
				`Invalid value: "bare": name is neither a standard finalizer name nor is it fully qualified`))
	})
	t.Run("the items of a list leave out their kind", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Memos, ""), 200,
			`{"kind":"MemoList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[
			{"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"`+apitest.NowText+`","resourceVersion":"2"}}]}`)
	})
	t.Run("fields that cannot be selected", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "GET", apitest.Memos+"?fieldSelector=data.k%3Dv", ""), 400,
			"BadRequest", `"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"`, "")
	})
	t.Run("an absent subresource", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Memos+"/a/status", ""), 404, "NotFound",
			"the server could not find the requested resource", "{}")
	})
}

// Counted is a built-in kind with a number and bytes.
type Counted struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Count int32             `json:"count,omitempty"`
		Ratio float64           `json:"ratio,omitempty"`
		Bytes map[string][]byte `json:"bytes,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

func TestValuesOfBuiltinKinds(t *testing.T) {
	const counted = "/api/v1/namespaces/default/counteds"
	post := func(members string) apitest.Answer {
		api := apitest.New(t, rest.Options{},
			rest.Resource[Counted]{Version: "v1", Plural: "counteds", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
		return apitest.Do(t, api, "POST", counted, `{"metadata":{"name":"a"},`+members+`}`)
	}
	for _, literal := range []string{"2.0", "2e0", "1e400"} {
		apitest.WantFailure(t, post(`"spec":{"count":`+literal+`}`), 400, "BadRequest",
			`Counted in version "v1" cannot be handled as a Counted: `+
				`json: cannot unmarshal number `+literal+` into Go struct field .spec.count of type int32`, "")
	}
	assert.Equal(t, 2.0, post(`"spec":{"ratio":2.0}`).Value(t, "spec.ratio"))
	assert.Contains(t, post(`"spec":{"ratio":2.0}`).Body, `"ratio":2}`, "as Go writes it")
	assert.Equal(t, "", post(`"spec":{"bytes":{"k":null}}`).Value(t, "spec.bytes.k"), "a store of Protobuf knows no null")
	a := post(`"status":"x"`)
	assert.Equal(t, 400, a.Code, "what a write leaves out is read as well")
	assert.Contains(t, a.Text(t, "message"),
		"json: cannot unmarshal string into Go struct field Counted.status of type struct")
	apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
		`{"metadata":{"name":"a","generation":-1}}`), "Memo", "a",
		apitest.Invalid("metadata.generation", "Invalid value: -1: must be greater than or equal to 0"))
}
