package main

import (
	"maps"

	openapi "github.com/tilt-dev/tilt-apiserver/pkg/generated/openapi"
	"github.com/tilt-dev/tilt-apiserver/pkg/server/builder/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Thing is the kind of the load.
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ThingSpec `json:"spec,omitempty"`
}

// ThingSpec is the desired state of a Thing.
type ThingSpec struct {
	Size int64             `json:"size"`
	Data map[string]string `json:"data,omitempty"`
}

// ThingList is a list of Things.
type ThingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Thing `json:"items"`
}

var (
	_ resource.Object     = &Thing{}
	_ resource.ObjectList = &ThingList{}
)

func (t *Thing) GetObjectMeta() *metav1.ObjectMeta { return &t.ObjectMeta }
func (t *Thing) NamespaceScoped() bool             { return true }
func (t *Thing) New() runtime.Object               { return &Thing{} }
func (t *Thing) NewList() runtime.Object           { return &ThingList{} }
func (t *Thing) IsStorageVersion() bool            { return true }
func (t *Thing) GetSingularName() string           { return "thing" }
func (t *Thing) GetGroupVersionResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "peers.example.com", Version: "v1", Resource: "things"}
}

func (l *ThingList) GetListMeta() *metav1.ListMeta { return &l.ListMeta }

func (t *Thing) copy() *Thing {
	return &Thing{TypeMeta: t.TypeMeta, ObjectMeta: *t.ObjectMeta.DeepCopy(),
		Spec: ThingSpec{Size: t.Spec.Size, Data: maps.Clone(t.Spec.Data)}}
}

func (t *Thing) DeepCopyObject() runtime.Object { return t.copy() }

func (l *ThingList) DeepCopyObject() runtime.Object {
	list := &ThingList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		list.Items = append(list.Items, *l.Items[i].copy())
	}
	return list
}

// definitions describes Things beside what upstream describes.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	object := func(dependencies []string, properties map[string]spec.Schema) common.OpenAPIDefinition {
		properties["kind"], properties["apiVersion"] = *spec.StringProperty(), *spec.StringProperty()
		return common.OpenAPIDefinition{Dependencies: dependencies,
			Schema: spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: properties}}}
	}
	to := func(name string) spec.Schema {
		return spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref(name), Default: map[string]any{}}}
	}
	all := openapi.GetOpenAPIDefinitions(ref)
	all["main.ThingSpec"] = object(nil, map[string]spec.Schema{
		"size": *spec.Int64Property(), "data": *spec.MapProperty(spec.StringProperty()),
	})
	all["main.Thing"] = object([]string{meta + "ObjectMeta", "main.ThingSpec"}, map[string]spec.Schema{
		"metadata": to(meta + "ObjectMeta"), "spec": to("main.ThingSpec"),
	})
	items := to("main.Thing")
	all["main.ThingList"] = object([]string{meta + "ListMeta", "main.Thing"}, map[string]spec.Schema{
		"metadata": to(meta + "ListMeta"), "items": *spec.ArrayProperty(&items),
	})
	return all
}
