package upstream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestUnusualBodies(t *testing.T) {
	t.Run("null is an object of which all is left out", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, "null"), "Memo", "",
			apitest.Required("metadata.name", "Required value: name or generateName is required"))
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, "# nothing\n", "Content-Type",
			apitest.TypeYAML), "Memo", "", apitest.Required("metadata.name", "Required value: name or generateName is required"))
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "PUT", apitest.Memos+"/a", "null"), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a kind that is null counts as left out", func(t *testing.T) {
		assert.Equal(t, 201, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"kind":null,"apiVersion":null,"metadata":{"name":"a"}}`).Code)
	})
	t.Run("forms of an apiVersion", func(t *testing.T) {
		for _, apiVersion := range []string{"/", "/v1", ""} {
			a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
				`{"kind":"Memo","apiVersion":"`+apiVersion+`","metadata":{"name":"a"}}`)
			assert.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, "v1", a.Text(t, "apiVersion"))
		}
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			`{"kind":"Widget","apiVersion":"/v1"}`), 400, "BadRequest",
			"the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
	})
	t.Run("a duplicate key in a body of another version", func(t *testing.T) {
		const body = `{"kind":"Gadget","kind":"Widget","apiVersion":"v1"}`
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, body)
		assert.Equal(t, `299 - "duplicate field \"kind\""`, a.Header.Get("Warning"))
		apitest.WantFailure(t, a, 400, "BadRequest",
			"the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets+"?fieldValidation=Strict", body),
			400, "BadRequest", `Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "kind"`, "")
	})
	t.Run("half of a surrogate pair", func(t *testing.T) {
		assert.Equal(t, "\uFFFDx", apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"metadata":{"name":"a"},"data":{"k":"\ud83dx"}}`).Text(t, "data.k"))
		assert.Equal(t, "\uFFFD", apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a","annotations":{"k":"\udc00"}`)).Text(t, "metadata.annotations.k"))
	})
	t.Run("the body's media type is looked at before the options, and Accept before both", func(t *testing.T) {
		for _, c := range []struct {
			method, target string
			header         []string
			want           int
		}{
			{"POST", apitest.Widgets, []string{"Content-Type", "text/plain"}, 415},
			{"POST", apitest.Widgets, []string{"Accept", "text/plain", "Content-Type", "text/plain"}, 406},
			{"PUT", apitest.Widgets + "/a", []string{"Content-Type", "text/plain"}, 422},
			{"PUT", apitest.Widgets + "/a", []string{"Accept", "text/plain"}, 406},
		} {
			assert.Equal(t, c.want, apitest.Do(t, apitest.NewWidgets(t), c.method, c.target+"?dryRun=x", "x", c.header...).Code,
				"%s %v", c.method, c.header)
		}
	})
}
