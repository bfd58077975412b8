package oracle

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// Definitions have the same Protobuf messages as the originals in k8s.io/apiextensions-apiserver, including schemas
// that contain schemas and fields that are a schema, a list or a boolean.
func TestDefinitionsHaveUpstreamsMessages(t *testing.T) {
	k := kind{apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"),
		reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]()}
	rounds(t, 300, func(t *testing.T, r round) {
		d := new(apiextensionsv1.CustomResourceDefinition)
		fill := filler(r.Rand)
		fill.Funcs(schemaFillers()...).Fill(d)
		inProtobuf, inJSON := new(apiextensionsv1.CustomResourceDefinition), new(apiextensionsv1.CustomResourceDefinition)
		message, err := d.Marshal()
		require.NoError(t, err)
		require.NoError(t, inProtobuf.Unmarshal(message)) // what Protobuf cannot express, such as an empty list, is null
		inProtobuf.TypeMeta = metav1.TypeMeta{APIVersion: k.GroupVersion().String(), Kind: k.Kind}
		text, err := json.Marshal(inProtobuf)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, inJSON)) // what JSON cannot express, such as a schema that is null, is absent
		requireSameMessage(t, k, reflect.TypeFor[apiextensions.CustomResourceDefinition](), inJSON)
	})
}

// schemaFillers fill schemas of at most four levels.
func schemaFillers() []any {
	levels := 0
	return []any{
		func(s *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			if levels < 4 && c.Intn(levels+1) == 0 {
				levels++
				c.FillNoCustom(s)
				levels--
			}
			s.Type = word(c.Rand)
		},
		func(v *apiextensionsv1.JSON, c randfill.Continue) {
			texts := []string{`1`, `"a"`, `{"a":[1,null,true]}`, `[]`, `false`, `1.5`}
			v.Raw = []byte(texts[c.Intn(len(texts))])
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			if v.Allows = c.Bool(); v.Allows && c.Bool() {
				c.Fill(&v.Schema)
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				c.Fill(&v.Schema)
			} else {
				c.Fill(&v.JSONSchemas)
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				c.Fill(&v.Schema)
			} else {
				v.Property = []string{word(c.Rand)}
			}
		},
	}
}
