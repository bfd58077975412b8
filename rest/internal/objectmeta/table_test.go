package objectmeta_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/stretchr/testify/require"
)

// changed has a value for each field of metadata that differs from the value in a new Widget.
var changed = map[string]string{
	objectmeta.Annotations:       `{"a":"b"}`,
	objectmeta.CreationTimestamp: `"2001-01-01T00:00:00Z"`,
	objectmeta.GracePeriod:       `7`,
	objectmeta.DeletionTimestamp: `"2001-01-01T00:00:00Z"`,
	objectmeta.Finalizers:        `["example.com/f"]`,
	objectmeta.GenerateName:      `"b-"`,
	objectmeta.Generation:        `7`,
	objectmeta.Labels:            `{"a":"b"}`,
	objectmeta.ManagedFields:     `[]`,
	objectmeta.Name:              `"b"`,
	objectmeta.Namespace:         `"b"`,
	objectmeta.Owners:            `[{"apiVersion":"v1","kind":"A","name":"a","uid":"a"}]`,
	objectmeta.ResourceVersion:   `"7"`,
	objectmeta.SelfLink:          `"/a"`,
	objectmeta.UID:               `"b"`,
}

// The table has a row for each field, in the order in which documents hold them.
func TestFieldsAreSorted(t *testing.T) {
	names := objectmeta.Names(func(objectmeta.Field) bool { return true })
	assert.Equal(t, slices.Sorted(maps.Keys(changed)), names)
}

// Each field is a member of the Go type, has a description in the schema, travels in Protobuf, and has the owners that
// the table says.
func TestEveryFieldIsDescribedEverywhere(t *testing.T) {
	derived, err := schema.Derive(reflect.TypeFor[apimeta.ObjectMeta](), schema.Options{})
	require.NoError(t, err)
	described := map[string]bool{}
	for _, member := range derived.Object.Properties {
		described[member.Name] = member.Schema.Description != ""
	}
	message := codec.ObjectMetaMessage()
	for _, f := range objectmeta.Fields {
		value := changed[f.Name]
		if f.Name == objectmeta.ManagedFields {
			value = `[{"manager":"m"}]`
		}
		sent := doc.MapOf(doc.Member{Key: f.Name, Value: parse(t, value)})
		encoded, err := message.Append(nil, sent)
		require.NoError(t, err)
		decoded, err := message.Decode(encoded)
		require.NoError(t, err)
		assert.Equal(t, value, text(decoded.Get(f.Name)), "%s: the Protobuf message", f.Name)
		assert.True(t, described[f.Name], "%s: no description in the schema", f.Name)
		assert.Equal(t, f.Unowned, managed.Unowned(f.Name), "%s: whether it has owners", f.Name)
		delete(described, f.Name)
	}
	assert.Empty(t, described, "members without a row")
}

// The server treats each field as the table describes.
func TestServerKeepsToTheTableOfFields(t *testing.T) {
	for _, f := range objectmeta.Fields {
		t.Run(f.Name, func(t *testing.T) {
			if f.Name == objectmeta.Name || f.Name == objectmeta.ManagedFields { // other tests cover them
				return
			}
			member := fmt.Sprintf("%q:%s", f.Name, changed[f.Name])
			api := apitest.NewWidgetsWithAdmission(t, apitest.Mutating("hook.example.com", func(_ context.Context, r *admission.Request) error {
				if r.Name != "hooked" {
					return nil
				}
				return r.Patch(apimeta.MergePatch, []byte(`{"metadata":{`+member+`}}`))
			}))
			value := func(name string) string {
				return text(parse(t, apitest.Must(t, api, "GET", apitest.Widgets+"/"+name, "").Body).Lookup("metadata", f.Name))
			}

			code := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"sent",`+member)).Code
			if code == 201 {
				assert.Equal(t, !f.Given, value("sent") == changed[f.Name], "a new object")
			} else {
				assert.True(t, f.Given, "a new object: %d", code)
			}
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"hooked"`))
			assert.Equal(t, !f.Fixed, value("hooked") == changed[f.Name], "a hook")

			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"updated"`))
			updated := apitest.Do(t, api, "PATCH", apitest.Widgets+"/updated?fieldManager=m", `{"metadata":{`+member+`}}`, "Content-Type",
				apitest.TypeMergePatch)
			assert.Equal(t, f.Update == objectmeta.Taken, value("updated") == changed[f.Name], "an update: %d %s", updated.Code, updated.Body)
			if f.Update == objectmeta.Taken {
				owners := text(parse(t, updated.Body).Lookup("metadata", objectmeta.ManagedFields))
				assert.Equal(t, !f.Unowned, strings.Contains(owners, `"f:`+f.Name+`"`), "an owner: %s", owners)
			}
		})
	}
}
