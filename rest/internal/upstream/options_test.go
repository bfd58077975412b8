package upstream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestMessagesAboutInvalidOptions(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ name, method, target string }{
		{"limit", "GET", apitest.Widgets + "?limit="},
		{"timeoutSeconds", "GET", apitest.Widgets + "?timeoutSeconds="},
		{"gracePeriodSeconds", "DELETE", apitest.Widgets + "/a?gracePeriodSeconds="},
	} {
		t.Run("an empty "+c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), 400, "BadRequest",
				`strconv.ParseInt: parsing "": invalid syntax`, "")
		})
	}
	for _, query := range []string{"?dryRun", "?dryRun=", "?dryRun&pretty=true"} {
		t.Run("no value in "+query, func(t *testing.T) {
			refused := apitest.NotSupported("dryRun", `Unsupported value: [""]: supported values: "All"`)
			for method, options := range map[string]string{"POST": "Create", "PUT": "Update", "PATCH": "Patch",
				"DELETE": "Delete"} {
				target, body, media := apitest.Widgets+"/a"+query, apitest.WidgetBody(`"name":"a"`), apitest.TypeJSON
				switch method {
				case "POST":
					target, body = apitest.Widgets+query, apitest.WidgetBody(`"name":"b"`)
				case "PATCH":
					media = apitest.TypeMergePatch
				case "DELETE":
					body = ""
				}
				apitest.WantInvalid(t, apitest.Do(t, api, method, target, body, "Content-Type", media),
					options+"Options.meta.k8s.io", "", refused)
			}
			apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+query, ""), "DeleteOptions.meta.k8s.io", "",
				refused)
			assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		})
	}
	const dryRun, validation = `Unsupported value: ["x"]: supported values: "All"`,
		`Unsupported value: "y": supported values: "", "Ignore", "Strict", "Warn"`
	t.Run("an apply of which all is wrong", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?dryRun=x&fieldValidation=y", `{}`,
			"Content-Type", apitest.TypeApply), "PatchOptions.meta.k8s.io", "",
			apitest.Required("fieldManager", "Required value: is required for apply patch"),
			apitest.NotSupported("dryRun", dryRun), apitest.NotSupported("fieldValidation", validation))
	})
	t.Run("a patch of which all is wrong", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.MergePatch(t, api,
			apitest.Widgets+"/a?fieldValidation=y&dryRun=x&force=true&fieldManager=%07", `{}`), "PatchOptions.meta.k8s.io", "",
			apitest.Forbidden("force", "Forbidden: may not be specified for non-apply patch"),
			apitest.Invalid("fieldManager", `Invalid value: "\a": invalid character U+0007 (at position 0)`),
			apitest.NotSupported("dryRun", dryRun), apitest.NotSupported("fieldValidation", validation))
	})
}

func TestMessagesAboutInvalidDeleteOptions(t *testing.T) {
	for _, c := range []struct {
		name, query, body string
		code              int
		message           string
	}{
		{"of another kind", "", `{"kind":"Bogus"}`, 400, apitest.Unregistered("Bogus", "meta.k8s.io/v1")},
		{"of another kind in other letters", "", `{"Kind":"Bogus","apiVersion":"v1"}`, 400,
			apitest.Unregistered("Bogus", "v1")},
		{"of another request", "", `{"kind":"CreateOptions","apiVersion":"v1"}`, 400,
			"converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion"},
		{"of no version", "", `{"apiVersion":"a/b/c"}`, 400, "unexpected GroupVersion string: a/b/c"},
		{"with a kind that is a number", "", `{"kind":5}`, 400,
			"couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"},
		{"with 2.0 for a whole number", "", `{"gracePeriodSeconds":2.0}`, 400,
			"json: cannot unmarshal number 2.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64"},
		{"with a uid that is a number", "", `{"preconditions":{"uid":5}}`, 400,
			"json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), c.code, "BadRequest",
				c.message, "")
			assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		})
	}
}
