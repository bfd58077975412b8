package crd_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/status"
)

// internal/test/oracle decodes manifests with the code of kube-apiserver, and compares the behaviour of the kinds. The tests
// in this file cover the features that a manifest cannot express.

type Box struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               BoxSpec   `json:"spec"`
	Status             BoxStatus `json:"status,omitzero"`
}

type BoxSpec struct {
	Size  int32             `json:"size"`
	Color string            `json:"color,omitempty" api:"immutable"`
	Label map[string]string `json:"label,omitempty"`
}

type BoxStatus struct {
	Count    int32                 `json:"count,omitempty"`
	Selector apimeta.LabelSelector `json:"selector,omitzero"`
}

func boxes(change ...func(*rest.Resource[Box])) rest.Resource[Box] {
	r := rest.Resource[Box]{Group: "example.com", Version: "v1", Plural: "boxes"}
	for _, f := range change {
		f(&r)
	}
	return r
}

// Crate has the same fields as Box. OldBox lacks one of them.
type Crate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CrateSpec `json:"spec"`
	Status             BoxStatus `json:"status,omitzero"`
}

type CrateSpec struct {
	Size  int32             `json:"size" api:"max=5"`
	Color string            `json:"color,omitempty" api:"default=red"`
	Label map[string]string `json:"label,omitempty"`
}

type OldBox struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Size int32 `json:"size"`
	} `json:"spec"`
	Status BoxStatus `json:"status,omitzero"`
}

type Tree struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               Branch `json:"spec"`
}

type Branch struct {
	Branches []Branch `json:"branches,omitempty"`
}

type several struct{}

func (several) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }
func (several) OpenAPISchemaType() []string   { return []string{"string"} }
func (*several) UnmarshalJSON([]byte) error   { return nil }

type Mixed struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Amount several `json:"amount,omitzero"`
	} `json:"spec"`
}

func TestManifestRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		of   rest.Definition
		want string
	}{
		{"nothing", nil, "the definition is nil"},
		{"what New refuses", rest.Resource[Box]{Group: "example.com", Version: "v1"}, "crd: kind \"Box\": "},
		{"the built-in dialect", boxes(func(r *rest.Resource[Box]) { r.Wire.Dialect = rest.DialectBuiltin }),
			"built-in dialect"},
		{"a call", boxes(func(r *rest.Resource[Box]) { r.Hooks.Call = func(context.Context, *Box) error { return nil } }),
			"it is virtual"},
		{"a singleton", rest.Resource[OldBox]{Group: "example.com", Version: "v1", Plural: "boxes", Scope: rest.ScopeCluster,
			Singleton: "one"}, "it is a singleton"},
		{"the core group", boxes(func(r *rest.Resource[Box]) { r.Group = "" }), "it is in the core group"},
		{"two groups", boxes(func(r *rest.Resource[Box]) {
			r.Versions = []rest.VersionOf[Box]{rest.Converted[Box, Crate](rest.Resource[Crate]{Group: "other.example.com",
				Version: "v1"}, nil, nil)}
		}), `it is served in two groups, "example.com" and "other.example.com"`},
		{"functions that convert", boxes(func(r *rest.Resource[Box]) {
			r.Versions = []rest.VersionOf[Box]{rest.Converted(rest.Resource[Crate]{Version: "v2"},
				func(*Crate, *Box) error { return nil }, func(*Box, *Crate) error { return nil })}
		}), `functions convert it between the versions "v1" and "v2"`},
		{"versions with different fields", boxes(func(r *rest.Resource[Box]) {
			r.Versions = []rest.VersionOf[Box]{rest.Converted[Box, OldBox](rest.Resource[OldBox]{Version: "v1beta1"}, nil, nil)}
		}), `the versions "v1" and "v1beta1" have different fields`},
		{"a type that contains itself", rest.Resource[Tree]{Group: "example.com", Version: "v1", Plural: "trees"},
			"spec.branches[]: the type github.com/decorum-go/decorum/rest/crd_test.Branch contains itself"},
		{"several types", rest.Resource[Mixed]{Group: "example.com", Version: "v1", Plural: "mixed"},
			"spec.amount: it has several types, [string number]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			yaml, losses, err := crd.Manifest(c.of)
			require.ErrorContains(t, err, c.want)
			assert.Empty(t, yaml)
			assert.Empty(t, losses)
		})
	}
}

// Manifest reports the features that a cluster does not support, and exports all others.
func TestManifestReportsLosses(t *testing.T) {
	none := func(context.Context, *Box) error { return nil }
	r := boxes(func(r *rest.Resource[Box]) {
		r.Verbs = []access.Verb{access.VerbGet, access.VerbList}
		r.Names.Rule = rest.NameDNSLabel
		r.TimeToLive = time.Hour
		r.Wire.Untracked = true
		r.IndexedLabels = []string{"fast"} // Manifest does not report it, because clients cannot see an index
		r.SelectableFields = []string{"spec.size", "fill=status.count"}
		r.Columns = []rest.Column{{Name: "Size", Type: "integer", Path: ".spec.size"},
			rest.ColumnFunc(rest.Column{Name: "Full"}, func(*Box) any { return true })}
		r.Scale = &rest.Scale{SpecReplicas: ".spec.size", StatusReplicas: ".status.count", Selector: ".status.selector"}
		r.Subresources = []rest.SubresourceOf[Box]{rest.Stream[Box, struct{}]{Name: "proxy",
			Serve: func(http.ResponseWriter, *http.Request, *Box, *struct{}) {}}}
		r.Hooks = rest.Hooks[Box]{Default: none, ValidateDelete: none,
			Validate: func(context.Context, *Box, *Box) (status.FieldErrors, error) { return nil, nil }}
	})
	yaml, losses, err := crd.Manifest(r)
	require.NoError(t, err)
	var lines []string
	for _, l := range losses {
		lines = append(lines, l.String())
	}
	assert.Equal(t, []string{
		"Verbs: a cluster serves all verbs; restrict them by roles",
		"Names.Rule: a cluster allows every DNS subdomain as a name",
		"TimeToLive: objects do not expire",
		"Wire.Untracked: a cluster keeps managedFields",
		"v1: Columns: Full: a cluster cannot compute cells",
		"v1: SelectableFields: fill=status.count: a cluster has no names for other fields",
		"v1: Scale.Selector: a cluster requires a selector of type string",
		"v1: Subresources: proxy: a cluster serves only status and scale",
		"v1: Hooks.Default: only the defaults of the schema apply",
		"v1: Hooks.Validate: only the rules of the schema apply",
		"v1: Hooks.ValidateDelete: clients may delete every object",
	}, lines)
	assert.Contains(t, string(yaml), "jsonPath: .spec.size")
	assert.Contains(t, string(yaml), "specReplicasPath: .spec.size")
	assert.NotContains(t, string(yaml), "labelSelectorPath")
}

// Versions that differ only in their rules need no conversion.
func TestManifestOfVersions(t *testing.T) {
	r := boxes(func(r *rest.Resource[Box]) {
		r.Versions = []rest.VersionOf[Box]{rest.Converted[Box, Crate](rest.Resource[Crate]{Version: "v1beta1",
			Stage: rest.Stage{Deprecated: true, NotServed: true}}, nil, nil)}
	})
	yaml, losses, err := crd.Manifest(r)
	require.NoError(t, err)
	assert.Empty(t, losses)
	text := string(yaml)
	for _, part := range []string{"strategy: None", "name: v1\n", "name: v1beta1\n", "deprecated: true",
		"deprecationWarning: example.com/v1beta1 Box is deprecated", "served: false", "storage: false", "maximum: 5",
		"default: red"} {
		assert.Contains(t, text, part)
	}
	assert.Equal(t, 1, strings.Count(text, "storage: true"))
	again, _, err := crd.Manifest(r)
	require.NoError(t, err)
	assert.Equal(t, text, string(again), "the manifest depends only on the definition")
}

// Rack has immutable elements in two lists. Only those of a list with keys have old values, whatever their order.
type Rack struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Codes []string `json:"codes,omitempty" api:"list=atomic,items.immutable"`
		Slots []Slot   `json:"slots,omitempty" api:"list=map,key=name,items.immutable"`
	} `json:"spec"`
}

type Slot struct {
	Name string `json:"name"`
	Size int32  `json:"size"`
}

// A cluster refuses a rule about old values where it cannot find the old value of an element.
func TestManifestOfImmutableElements(t *testing.T) {
	yaml, _, err := crd.Manifest(rest.Resource[Rack]{Group: "example.com", Version: "v1", Plural: "racks"})
	require.NoError(t, err)
	_, ofSlots, found := strings.Cut(string(yaml), "slots:")
	require.True(t, found)
	assert.Equal(t, 1, strings.Count(string(yaml), "rule: self == oldSelf"))
	assert.Equal(t, 1, strings.Count(ofSlots, "rule: self == oldSelf"))
}
