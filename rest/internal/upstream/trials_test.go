package upstream_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Trial is a kind on which each difference between the dialects can be seen. Its fields are not in the order of their
// names.
type Trial struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               TrialSpec   `json:"spec,omitempty"`
	Status             TrialStatus `json:"status,omitempty"`
}

type TrialSpec struct {
	Needed   string `json:"needed"`
	On       bool   `json:"on,omitempty"`
	Count    int32  `json:"count,omitempty"`
	Replicas *int32 `json:"replicas,omitempty"`
}

type TrialStatus struct {
	Replicas int32 `json:"replicas,omitempty"`
}

// TrialV1beta1 has no bound on the count. It has a mode and no note.
type TrialV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Count int32  `json:"count,omitempty"`
		Mode  string `json:"mode,omitempty" api:"default=slow"`
	} `json:"spec,omitempty"`
}

// BoundTrial is stored in a version that bounds the count.
type BoundTrial struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Count int32  `json:"count,omitempty" api:"max=3"`
		Note  string `json:"note,omitempty"`
	} `json:"spec,omitempty"`
}

// PlainTrial has no selectable fields.
type PlainTrial struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

const (
	trials      = "/apis/example.com/v1/namespaces/default/trials"
	boundTrials = "/apis/example.com/v1/namespaces/default/boundtrials"
)

func newTrials(t *testing.T, dialect rest.Dialect) *rest.API {
	t.Helper()
	return apitest.New(t, rest.Options{},
		rest.Resource[Trial]{Group: "example.com", Version: "v1", Plural: "trials", Wire: rest.Wire{Dialect: dialect},
			SelectableFields: []string{"spec.on"},
			Scale:            &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"},
			Hooks: rest.Hooks[Trial]{
				GracePeriod: func(_ context.Context, obj *Trial, _ *int64) (int64, error) {
					if obj.Name == "graceful" {
						return 30, nil
					}
					return 0, nil
				},
				Prepare: func(_ context.Context, obj, old *Trial) error {
					if old != nil && obj.Annotations["replicas"] != "" {
						obj.Status.Replicas = 7
					}
					if obj.Annotations["counts"] != "" {
						obj.Spec.Count = 7
					}
					return nil
				},
			}},
		rest.Resource[PlainTrial]{Group: "example.com", Version: "v1", Plural: "plaintrials",
			Wire: rest.Wire{Dialect: dialect}},
		rest.Resource[BoundTrial]{Group: "example.com", Version: "v1", Plural: "boundtrials",
			Wire: rest.Wire{Dialect: dialect},
			Versions: []rest.VersionOf[BoundTrial]{rest.Converted[BoundTrial](rest.Resource[TrialV1beta1]{Version: "v1beta1"},
				nil, nil)}})
}

// trial is a body of the kind with these members of metadata and spec.
func trial(name, metadata, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Trial","metadata":{"name":%q%s},"spec":{"needed":"x"%s}}`,
		name, metadata, spec)
}
