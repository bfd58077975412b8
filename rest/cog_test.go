package rest_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Cog is a kind with three versions: v1 is stored, v1beta1 calls its fields otherwise and has none for the note, which
// it keeps in an annotation, and v1alpha1 has what both have in common with v1.
type Cog struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CogSpec   `json:"spec"`
	Status             CogStatus `json:"status,omitzero"`
}

type CogSpec struct {
	Teeth    int32  `json:"teeth" api:"min=1"`
	Material string `json:"material,omitempty" api:"default=steel"`
	Note     string `json:"note,omitempty"`
}

type CogStatus struct {
	Turns int64 `json:"turns,omitempty"`
}

type CogV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CogV1beta1Spec   `json:"spec"`
	Status             CogV1beta1Status `json:"status,omitzero"`
}

type CogV1beta1Spec struct {
	ToothCount int32  `json:"toothCount" api:"min=2"`
	Metal      string `json:"metal,omitempty" api:"default=iron"`
	Oiled      bool   `json:"oiled,omitempty"`
}

type CogV1beta1Status struct {
	Rotations int64 `json:"rotations,omitempty"`
}

type CogV1alpha1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Teeth int32 `json:"teeth"`
	} `json:"spec"`
}

const (
	cogSecret = "the password is 1234" // must not reach a client
	cogNote   = "example.com/note"
	cogOiled  = "example.com/oiled"
)

func cogToV1(in *CogV1beta1, out *Cog) error {
	switch in.Spec.Metal {
	case "unobtainium":
		return status.BadRequest("nobody has unobtainium")
	case "secret":
		return errors.New(cogSecret)
	case "panic":
		panic(cogSecret)
	case "rename":
		out.Name = "another"
	case "disown":
		out.UID = ""
	}
	out.Spec = CogSpec{Teeth: in.Spec.ToothCount, Material: in.Spec.Metal, Note: in.Annotations[cogNote]}
	out.Annotations = maps.Clone(in.Annotations)
	delete(out.Annotations, cogNote)
	if in.Spec.Oiled {
		out.Annotations = with(out.Annotations, cogOiled, "true")
	}
	out.Status.Turns = in.Status.Rotations
	return nil
}

func cogFromV1(in *Cog, out *CogV1beta1) error {
	if in.Spec.Material == "wood" {
		return errors.New("v1beta1 knows metals only")
	}
	out.Spec = CogV1beta1Spec{ToothCount: in.Spec.Teeth, Metal: in.Spec.Material, Oiled: in.Annotations[cogOiled] == "true"}
	out.Annotations = maps.Clone(in.Annotations)
	delete(out.Annotations, cogOiled)
	if in.Spec.Note != "" {
		out.Annotations = with(out.Annotations, cogNote, in.Spec.Note)
	}
	out.Status.Rotations = in.Status.Turns
	return nil
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

const (
	cogs        = "/apis/example.com/v1/namespaces/default/cogs"
	betaCogs    = "/apis/example.com/v1beta1/namespaces/default/cogs"
	alphaCogs   = "/apis/example.com/v1alpha1/namespaces/default/cogs"
	betaCogKind = `"apiVersion":"example.com/v1beta1","kind":"Cog"`
)

func betaCogResource() rest.Resource[CogV1beta1] {
	return rest.Resource[CogV1beta1]{
		Version:          "v1beta1",
		Columns:          []rest.Column{{Name: "Metal", Path: ".spec.metal"}},
		SelectableFields: []string{"spec.metal"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.toothCount", StatusReplicas: ".status.rotations"},
		Stage:            rest.Stage{Deprecated: true},
	}
}

func cogResource(options ...func(*rest.Resource[Cog])) rest.Resource[Cog] {
	r := rest.Resource[Cog]{
		Group: "example.com", Version: "v1", Plural: "cogs", Names: rest.Names{Short: []string{"cg"}},
		Columns:          []rest.Column{{Name: "Teeth", Type: "integer", Path: ".spec.teeth"}},
		SelectableFields: []string{"spec.material"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.teeth", StatusReplicas: ".status.turns"},
		Versions: []rest.VersionOf[Cog]{
			rest.Converted(betaCogResource(), cogToV1, cogFromV1),
			rest.Converted[Cog](rest.Resource[CogV1alpha1]{Version: "v1alpha1"}, nil, nil),
		},
	}
	for _, o := range options {
		o(&r)
	}
	return r
}

func newCogs(t testing.TB, options ...func(*rest.Resource[Cog])) *rest.API {
	return newAPI(t, rest.Options{}, cogResource(options...))
}
