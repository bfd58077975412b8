package openapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

type Sign struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string   `json:"text,omitempty" api:"publishRequired"`
	Color              string   `json:"color,omitempty" api:"publishEnum=Blue|Red"`
	Sides              []string `json:"sides,omitempty" api:"items.publishEnum=Back|Front"`
}

// Kubernetes' own kinds state rules in OpenAPI that only their hooks check.
func TestPublishedRulesAreNotChecked(t *testing.T) {
	r := rest.Resource[Sign]{Group: "example.com", Version: "v1", Plural: "signs"}
	api := apitest.New(t, rest.Options{}, r)
	for _, path := range []string{"/openapi/v3/apis/example.com/v1", "/openapi/v2"} {
		document := apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", path, ""))
		schema := document.Kind(t, "Sign")
		assert.Equal(t, []string{"text"}, schema.Required, path)
		assert.Equal(t, []string{"Blue", "Red"}, document.Property(t, schema, "color").Enum, path)
		assert.Equal(t, []string{"Back", "Front"}, document.Property(t, schema, "sides").Items.Enum, path)
	}
	apitest.Must(t, api, "POST", "/apis/example.com/v1/namespaces/default/signs",
		`{"apiVersion":"example.com/v1","kind":"Sign","metadata":{"name":"a"},"color":"Green","sides":["Top"]}`)

	for _, option := range []string{"publishRequired=true", "publishEnum", "items.publishEnum=Back"} {
		r.Overlay = map[string]string{"Sign.text": option}
		_, err := rest.New(rest.Options{}, r)
		require.ErrorContains(t, err, "Sign.Text: option ", option)
	}
}
