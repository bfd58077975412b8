package apitest

import (
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Memo is a kind in the built-in dialect, like a ConfigMap.
type Memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Locked             *bool             `json:"locked,omitempty"`
	Data               map[string]string `json:"data,omitempty"`
}

// Memos is the path of the Memos in namespace default.
const Memos = "/api/v1/namespaces/default/memos"

// NewMemos is an API of Memos.
func NewMemos(t *testing.T) *rest.API {
	t.Helper()
	return New(t, rest.Options{NoSelfReviews: true},
		rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
}

// StoredMemo is the JSON of the Memo a at a resourceVersion, with these further members.
func StoredMemo(rv, more string) string {
	return `{"kind":"Memo","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + NowText +
		`","resourceVersion":"` + rv + `"}` + more + `}`
}

// Namespace is the kind of the core group.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Finalizers []string `json:"finalizers,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

// NewMemosWith serves memos, of which one is there.
func NewMemosWith(t *testing.T, members string) *rest.API {
	t.Helper()
	api := NewMemos(t)
	Must(t, api, "POST", Memos, `{"metadata":{"name":"a"},`+members+`}`)
	return api
}
