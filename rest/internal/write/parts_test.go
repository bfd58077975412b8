package write_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

type (
	reviewSpec struct {
		Text string `json:"text,omitempty"`
		Tint string `json:"tint,omitempty"`
	}
	reviewStatus struct {
		Approved bool   `json:"approved,omitempty"`
		Note     string `json:"note,omitempty"`
	}
	// Review is a kind with subresources that are parts of its objects.
	Review struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               reviewSpec   `json:"spec"`
		Status             reviewStatus `json:"status,omitzero"`
	}
)

// reviews declares a part of the object and a part of its status. The hook lets only them change tint and approved.
func reviews(wire rest.Wire) rest.Resource[Review] {
	wire.Parts, wire.StatusParts = []string{"tint"}, []string{"approval"}
	return rest.Resource[Review]{Group: "example.com", Version: "v1", Plural: "reviews", Wire: wire,
		Hooks: rest.Hooks[Review]{
			Prepare: func(ctx context.Context, obj, old *Review) error {
				if old == nil {
					return nil
				}
				switch access.AccessFrom(ctx).Subresource {
				case "":
					obj.Spec.Tint = old.Spec.Tint
				case "tint":
					obj.Spec.Text = old.Spec.Text
				case "status":
					obj.Status.Approved = old.Status.Approved
				case "approval":
					obj.Status.Note = old.Status.Note
				}
				return nil
			},
		}}
}

func TestPartsOfAnObjectAreWrittenThroughSubresources(t *testing.T) {
	const url = "/apis/example.com/v1/namespaces/default/reviews"
	const whole = `{"apiVersion":"example.com/v1","kind":"Review","metadata":{"name":"a"},"spec":{"text":"new","tint":"red"},"status":{"approved":true,"note":"fine"}}`
	for _, c := range []struct{ part, method, contentType, body, spec, status string }{
		{"", "PATCH", apitest.TypeMergePatch, whole, `{"text":"new","tint":""}`, `null`},
		{"/tint", "PATCH", apitest.TypeMergePatch, whole, `{"text":"old","tint":"red"}`, `null`},
		{"/status", "PATCH", apitest.TypeMergePatch, whole, `{"text":"old"}`, `{"approved":false,"note":"fine"}`},
		{"/approval", "PATCH", apitest.TypeMergePatch, whole, `{"text":"old"}`, `{"approved":true,"note":""}`},
		{"/approval", "PATCH", apitest.TypeApply, whole, `{"text":"old"}`, `{"approved":true,"note":""}`},
	} {
		t.Run(c.method+c.part+" "+c.contentType, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, reviews(rest.Wire{}))
			apitest.Must(t, api, "POST", url,
				`{"apiVersion":"example.com/v1","kind":"Review","metadata":{"name":"a"},"spec":{"text":"old"}}`)
			a := apitest.Must(t, api, c.method, url+"/a"+c.part+"?fieldManager=m", c.body, "Content-Type", c.contentType)
			assert.Equal(t, "Review", a.Text(t, "kind"))
			got := apitest.Must(t, api, "GET", url+"/a"+c.part, "")
			assert.Equal(t, c.spec, apitest.JSONOf(t, got.Value(t, "spec")))
			assert.Equal(t, c.status, apitest.JSONOf(t, got.Value(t, "status")))
		})
	}
}

// As in Kubernetes, a client that writes a part of a built-in object owns the status that it sends, although the server
// keeps the old status.
func TestOwnersOfTheStatusInAWriteOfAPart(t *testing.T) {
	const url = "/apis/example.com/v1/namespaces/default/reviews"
	const body = `{"apiVersion":"example.com/v1","kind":"Review","metadata":{"name":"a"},"spec":{"text":"old"},"status":{"note":"fine"}}`
	for _, c := range []struct {
		dialect             rest.Dialect
		method, contentType string
		owns                bool
	}{
		{rest.DialectBuiltin, "PUT", apitest.TypeJSON, true},
		{rest.DialectBuiltin, "PATCH", apitest.TypeMergePatch, true},
		{rest.DialectBuiltin, "PATCH", apitest.TypeApply, true},
		{rest.DialectCustom, "PATCH", apitest.TypeMergePatch, false},
	} {
		api := apitest.New(t, rest.Options{}, reviews(rest.Wire{Dialect: c.dialect}))
		apitest.Must(t, api, "POST", url,
			`{"apiVersion":"example.com/v1","kind":"Review","metadata":{"name":"a"},"spec":{"text":"old"}}`)
		send := func() apitest.Answer {
			return apitest.Must(t, api, c.method, url+"/a/tint?fieldManager=m", body, "Content-Type", c.contentType)
		}
		first := send()
		assert.NotContains(t, first.Body, "fine", "%v %s", c.dialect, c.contentType)
		assert.Equal(t, c.owns, strings.Contains(first.Body, `"f:note":{}`), "%v %s: %s", c.dialect, c.contentType, first.Body)
		assert.Equal(t, first.Body, send().Body, "a repetition of the %s changes nothing", c.contentType)
	}
}

func TestANewObjectKeepsItsStatusIfTheKindSaysSo(t *testing.T) {
	const body = `{"apiVersion":"example.com/v1","kind":"Review","metadata":{"name":"a"},"spec":{},"status":{"note":"first"}}`
	for _, c := range []struct {
		kept bool
		want string
	}{{false, `null`}, {true, `{"note":"first"}`}} {
		api := apitest.New(t, rest.Options{}, reviews(rest.Wire{StatusOnCreate: c.kept}))
		a := apitest.Must(t, api, "POST", "/apis/example.com/v1/namespaces/default/reviews", body)
		assert.Equal(t, c.want, apitest.JSONOf(t, a.Value(t, "status")))
	}
}

func TestInvalidNamesOfParts(t *testing.T) {
	for _, c := range []struct {
		wire rest.Wire
		want string
	}{
		{rest.Wire{Parts: []string{"status"}},
			`subresource "status": the name must be a lower-case word other than 'status'`},
		{rest.Wire{Parts: []string{"a"}, StatusParts: []string{"a"}}, `subresource "a" is declared twice`},
	} {
		_, err := rest.New(rest.Options{},
			rest.Resource[Review]{Group: "example.com", Version: "v1", Plural: "reviews", Wire: c.wire})
		assert.ErrorContains(t, err, c.want)
	}
	api := apitest.New(t, rest.Options{}, reviews(rest.Wire{}))
	a := apitest.Do(t, api, "POST", "/apis/example.com/v1/namespaces/default/reviews/a/tint", `{}`)
	require.Equal(t, http.StatusMethodNotAllowed, a.Code, a.Body)
}
