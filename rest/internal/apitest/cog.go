package apitest

import (
	"errors"
	"fmt"
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

// CogSpec is the desired state of a Cog.
type CogSpec struct {
	Teeth    int32  `json:"teeth" api:"min=1"`
	Material string `json:"material,omitempty" api:"default=steel"`
	Note     string `json:"note,omitempty"`
}

// CogStatus is the observed state of a Cog.
type CogStatus struct {
	Turns int64 `json:"turns,omitempty"`
}

// CogV1beta1 is a Cog in version v1beta1.
type CogV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CogV1beta1Spec   `json:"spec"`
	Status             CogV1beta1Status `json:"status,omitzero"`
}

// CogV1beta1Spec is the desired state of a Cog in v1beta1.
type CogV1beta1Spec struct {
	ToothCount int32  `json:"toothCount" api:"min=2"`
	Metal      string `json:"metal,omitempty" api:"default=iron"`
	Oiled      bool   `json:"oiled,omitempty"`
}

// CogV1beta1Status is the observed state of a Cog in v1beta1.
type CogV1beta1Status struct {
	Rotations int64 `json:"rotations,omitempty"`
}

// CogV1alpha1 is a Cog in version v1alpha1.
type CogV1alpha1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Teeth int32 `json:"teeth"`
	} `json:"spec"`
}

const (
	CogSecret = "the password is 1234" // must not reach a client
	cogNote   = "example.com/note"
	CogOiled  = "example.com/oiled"
)

// CogToV1 converts a Cog to the stored version. It fails for some metals.
func CogToV1(in *CogV1beta1, out *Cog) error {
	switch in.Spec.Metal {
	case "unobtainium":
		return status.BadRequest("nobody has unobtainium")
	case "secret":
		return errors.New(CogSecret)
	case "panic":
		panic(CogSecret)
	case "rename":
		out.Name = "another"
	case "disown":
		out.UID = ""
	}
	out.Spec = CogSpec{Teeth: in.Spec.ToothCount, Material: in.Spec.Metal, Note: in.Annotations[cogNote]}
	out.Annotations = maps.Clone(in.Annotations)
	delete(out.Annotations, cogNote)
	if in.Spec.Oiled {
		out.Annotations = with(out.Annotations, CogOiled, "true")
	}
	out.Status.Turns = in.Status.Rotations
	return nil
}

// CogFromV1 converts a Cog from the stored version. It fails for wood.
func CogFromV1(in *Cog, out *CogV1beta1) error {
	if in.Spec.Material == "wood" {
		return errors.New("v1beta1 knows metals only")
	}
	out.Spec = CogV1beta1Spec{ToothCount: in.Spec.Teeth, Metal: in.Spec.Material,
		Oiled: in.Annotations[CogOiled] == "true"}
	out.Annotations = maps.Clone(in.Annotations)
	delete(out.Annotations, CogOiled)
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
	Cogs        = "/apis/example.com/v1/namespaces/default/cogs"
	BetaCogs    = "/apis/example.com/v1beta1/namespaces/default/cogs"
	AlphaCogs   = "/apis/example.com/v1alpha1/namespaces/default/cogs"
	BetaCogKind = `"apiVersion":"example.com/v1beta1","kind":"Cog"`
)

// BetaCogResource declares version v1beta1 of Cogs.
func BetaCogResource() rest.Resource[CogV1beta1] {
	return rest.Resource[CogV1beta1]{
		Version:          "v1beta1",
		Columns:          []rest.Column{{Name: "Metal", Path: ".spec.metal"}},
		SelectableFields: []string{"spec.metal"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.toothCount", StatusReplicas: ".status.rotations"},
		Stage:            rest.Stage{Deprecated: true},
	}
}

// CogResource declares Cogs in all their versions.
func CogResource(options ...func(*rest.Resource[Cog])) rest.Resource[Cog] {
	r := rest.Resource[Cog]{
		Group: "example.com", Version: "v1", Plural: "cogs", Names: rest.Names{Short: []string{"cg"}},
		Columns:          []rest.Column{{Name: "Teeth", Type: "integer", Path: ".spec.teeth"}},
		SelectableFields: []string{"spec.material"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.teeth", StatusReplicas: ".status.turns"},
		Versions: []rest.VersionOf[Cog]{
			rest.Converted(BetaCogResource(), CogToV1, CogFromV1),
			rest.Converted[Cog](rest.Resource[CogV1alpha1]{Version: "v1alpha1"}, nil, nil),
		},
	}
	for _, o := range options {
		o(&r)
	}
	return r
}

// NewCogs is an API of Cogs.
func NewCogs(t testing.TB, options ...func(*rest.Resource[Cog])) *rest.API {
	return New(t, rest.Options{}, CogResource(options...))
}

// StoredCog is a Cog as a version shows it. The zero value of a part is the one of a new Cog.
type StoredCog struct {
	Version    string // v1
	Rv         string // 2
	Generation int    // 1
	Metadata   string // more members of metadata
	Spec       string
	Status     string
}

// String is the JSON of the Cog.
func (c StoredCog) String() string {
	version, rv, generation := c.Version, c.Rv, c.Generation
	if version == "" {
		version = "v1"
	}
	if rv == "" {
		rv = "2"
	}
	if generation == 0 {
		generation = 1
	}
	out := fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Cog","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"%s","generation":%d,"resourceVersion":"%s"`,
		version, NowText, generation, rv)
	if c.Metadata != "" {
		out += "," + c.Metadata
	}
	out += `},"spec":` + c.Spec
	if c.Status != "" {
		out += `,"status":` + c.Status
	}
	return out + "}"
}

// CogBody is the JSON of a Cog with this spec.
func CogBody(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
}

// BetaCogBody is the JSON of a Cog in v1beta1 with this spec.
func BetaCogBody(spec string) string {
	return `{"apiVersion":"example.com/v1beta1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
}
