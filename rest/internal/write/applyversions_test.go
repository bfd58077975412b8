package write_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// owned are the fields of an object's managers, by manager, operation and version.
func owned(t *testing.T, a apitest.Answer) map[string]string {
	t.Helper()
	var object struct {
		Metadata struct {
			ManagedFields []struct {
				Manager, Operation, APIVersion string
				FieldsV1                       json.RawMessage
			}
		}
	}
	a.Decode(t, &object)
	out := map[string]string{}
	for _, e := range object.Metadata.ManagedFields {
		out[e.Manager+" "+e.Operation+" "+e.APIVersion] = string(e.FieldsV1)
	}
	return out
}

func applyCog(t *testing.T, api *rest.API, target, manager, version, spec string) apitest.Answer {
	t.Helper()
	return apitest.Do(t, api, "PATCH", target+"/a?fieldManager="+manager,
		`{"apiVersion":"example.com/`+version+`","kind":"Cog","metadata":{"name":"a"},"spec":`+spec+`}`, "Content-Type",
		apitest.TypeApply)
}

// The owner of a field owns it in all versions, under the name that it has there.
func TestOwnershipIsAcrossVersions(t *testing.T) {
	api := apitest.NewCogs(t)
	made := applyCog(t, api, apitest.BetaCogs, "older", "v1beta1", `{"toothCount":5,"metal":"tin"}`)
	require.Equal(t, 201, made.Code, made.Body)
	assert.Equal(t, map[string]string{"older Apply example.com/v1beta1": `{"f:spec":{"f:metal":{},"f:toothCount":{}}}`},
		owned(t, made))

	refused := applyCog(t, api, apitest.Cogs, "newer", "v1", `{"teeth":6}`)
	require.Equal(t, 409, refused.Code, refused.Body)
	assert.Equal(t, `Apply failed with 1 conflict: conflict with "older": .spec.toothCount`, refused.Text(t, "message"),
		"in the words of the version in which the other applied")
	assert.Equal(t, ".spec.toothCount", refused.Text(t, "details.causes.0.field"))

	shared := applyCog(t, api, apitest.Cogs, "newer", "v1", `{"teeth":5,"note":"oil me"}`)
	require.Equal(t, 200, shared.Code, shared.Body)
	assert.Equal(t, map[string]string{
		"older Apply example.com/v1beta1": `{"f:spec":{"f:metal":{},"f:toothCount":{}}}`,
		"newer Apply example.com/v1":      `{"f:spec":{"f:note":{},"f:teeth":{}}}`,
	}, owned(t, shared))

	taken := apitest.Do(t, api, "PATCH", apitest.Cogs+"/a?fieldManager=newer&force=true",
		`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a"},"spec":{"teeth":7}}`, "Content-Type",
		apitest.TypeApply)
	require.Equal(t, 200, taken.Code, taken.Body)
	assert.Equal(t, map[string]any{"teeth": 7.0, "material": "tin"}, taken.Value(t, "spec"),
		"what newer no longer applies is gone")
	assert.Equal(t, map[string]string{
		"older Apply example.com/v1beta1": `{"f:spec":{"f:metal":{}}}`,
		"newer Apply example.com/v1":      `{"f:spec":{"f:teeth":{}}}`,
	}, owned(t, taken))

	// A manager may go on in another version.
	moved := applyCog(t, api, apitest.Cogs, "older", "v1", `{"material":"zinc","teeth":7}`)
	require.Equal(t, 200, moved.Code, moved.Body)
	assert.Equal(t, `{"f:spec":{"f:material":{},"f:teeth":{}}}`, owned(t, moved)["older Apply example.com/v1"])
	assert.Len(t, owned(t, moved), 2)
	rv := moved.ResourceVersion(t)
	assert.Equal(t, rv, applyCog(t, api, apitest.Cogs, "older", "v1", `{"material":"zinc","teeth":7}`).ResourceVersion(t),
		"again")
	// a field of newer alone goes, and one that older owns too stays
	dropped := applyCog(t, api, apitest.BetaCogs, "newer", "v1beta1", `{"oiled":true}`)
	require.Equal(t, 200, dropped.Code, dropped.Body)
	assert.Equal(t, map[string]any{"toothCount": 7.0, "metal": "zinc", "oiled": true}, dropped.Value(t, "spec"))

	updated := apitest.Do(t, api, "PATCH", apitest.BetaCogs+"/a?fieldManager=hand", `{"spec":{"toothCount":9}}`,
		"Content-Type", apitest.TypeMergePatch)
	require.Equal(t, 200, updated.Code, updated.Body)
	assert.Equal(t, `{"f:spec":{"f:toothCount":{}}}`, owned(t, updated)["hand Update example.com/v1beta1"])
	assert.Equal(t, `{"f:spec":{"f:material":{}}}`, owned(t, updated)["older Apply example.com/v1"])
}
