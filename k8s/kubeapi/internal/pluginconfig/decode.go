package pluginconfig

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Strictness says what happens to fields that a configuration does not have.
type Strictness bool

// Kubernetes decodes the configurations of most plugins strictly, and those of a few older ones leniently.
const (
	// Lenient ignores unknown and repeated fields.
	Lenient Strictness = false
	// Strict refuses them.
	Strict Strictness = true
)

// Decode decodes JSON or YAML of one of the kinds into a value, which is a pointer to a struct. The struct has the
// fields apiVersion and kind, which Strict would otherwise refuse.
func Decode(text []byte, how Strictness, into any, kinds ...schema.GroupVersionKind) error {
	toJSON := yaml.YAMLToJSON
	if how == Strict {
		toJSON = yaml.YAMLToJSONStrict
	}
	document, err := toJSON(text)
	if err != nil {
		return err
	}
	kind, err := serializer.DefaultMetaFactory.Interpret(document)
	switch {
	case err != nil:
		return err
	case kind.Kind == "":
		return runtime.NewMissingKindErr(string(text))
	case kind.Version == "":
		return runtime.NewMissingVersionErr(string(text))
	case !slices.Contains(kinds, *kind):
		return runtime.NewNotRegisteredErrForKind("the configuration of admission plugins", *kind)
	}
	if how == Lenient {
		return json.UnmarshalCaseSensitivePreserveInts(document, into)
	}
	unknown, err := json.UnmarshalStrict(document, into)
	if err == nil && len(unknown) > 0 {
		err = runtime.NewStrictDecodingError(unknown)
	}
	return err
}
