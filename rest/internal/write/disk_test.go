package write_test

import (
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Disk is a kind whose stored version, v1, has rules that v1beta1 does not have, counts in other units, and has a tier,
// for which v1beta1 has no word.
type Disk struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               DiskSpec   `json:"spec"`
	Status             DiskStatus `json:"status,omitzero"`
}

type DiskSpec struct {
	SizeGB   int32       `json:"sizeGB,omitempty" api:"default=10,min=1,max=100"`
	Class    string      `json:"class,omitempty" api:"immutable,default=ssd"`
	Tier     string      `json:"tier,omitempty" api:"enum=hot|cold|frozen"`
	Replicas *int32      `json:"replicas,omitempty" api:"max=5,default=1"`
	Mounts   []DiskMount `json:"mounts,omitempty" api:"list=map,key=name,maxItems=2"`
	Note     string      `json:"note,omitempty" api:"maxLength=5"`
}

type DiskMount struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
}

type DiskStatus struct {
	Phase string `json:"phase,omitempty" api:"enum=Pending|Ready"`
	Used  int32  `json:"used,omitempty"`
}

type DiskV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               DiskV1beta1Spec   `json:"spec"`
	Status             DiskV1beta1Status `json:"status,omitzero"`
}

type DiskV1beta1Spec struct {
	SizeMB   int32             `json:"sizeMB,omitempty"`
	Media    string            `json:"media,omitempty"`
	Replicas *int32            `json:"replicas,omitempty"`
	Mounts   []DiskV1beta1Path `json:"mounts,omitempty" api:"list=map,key=name"`
	Note     string            `json:"note,omitempty"`
}

type DiskV1beta1Path struct {
	Name string `json:"name"`
}

type DiskV1beta1Status struct {
	State string `json:"state,omitempty"`
	Used  int32  `json:"used,omitempty"`
}

func diskToV1(in *DiskV1beta1, out *Disk) error {
	out.Spec = DiskSpec{SizeGB: in.Spec.SizeMB / 1024, Class: in.Spec.Media, Replicas: in.Spec.Replicas,
		Note: in.Spec.Note}
	for _, m := range in.Spec.Mounts {
		out.Spec.Mounts = append(out.Spec.Mounts, DiskMount{Name: m.Name})
	}
	out.Status = DiskStatus{Phase: in.Status.State, Used: in.Status.Used}
	return nil
}

func diskFromV1(in *Disk, out *DiskV1beta1) error {
	out.Spec = DiskV1beta1Spec{SizeMB: in.Spec.SizeGB * 1024, Media: in.Spec.Class, Replicas: in.Spec.Replicas,
		Note: in.Spec.Note}
	for _, m := range in.Spec.Mounts {
		out.Spec.Mounts = append(out.Spec.Mounts, DiskV1beta1Path{Name: m.Name})
	}
	out.Status = DiskV1beta1Status{State: in.Status.Phase, Used: in.Status.Used}
	return nil
}

const (
	disks     = "/apis/example.com/v1/namespaces/default/disks"
	betaDisks = "/apis/example.com/v1beta1/namespaces/default/disks"
)

func diskResource(options ...func(*rest.Resource[Disk])) rest.Resource[Disk] {
	r := rest.Resource[Disk]{
		Group: "example.com", Version: "v1", Plural: "disks",
		Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.used"},
	}
	for _, o := range options {
		o(&r)
	}
	if r.Versions == nil {
		r.Versions = []rest.VersionOf[Disk]{rest.Converted(betaDiskResource(), diskToV1, diskFromV1)}
	}
	return r
}

func betaDiskResource() rest.Resource[DiskV1beta1] {
	return rest.Resource[DiskV1beta1]{Version: "v1beta1",
		Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.used"}}
}

func newDisks(t testing.TB, options ...func(*rest.Resource[Disk])) *rest.API {
	return apitest.New(t, rest.Options{}, diskResource(options...))
}

func diskBody(version, metadata, spec string) string {
	if metadata != "" {
		metadata = "," + metadata
	}
	return `{"apiVersion":"example.com/` + version + `","kind":"Disk","metadata":{"name":"a"` + metadata + `},"spec":` +
		spec + `}`
}
