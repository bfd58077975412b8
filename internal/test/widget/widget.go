// Package widget contains the custom kind of the recorded transcripts, for the programs and tests that serve it.
package widget

import (
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Widget is the custom kind of the transcripts, as fixtures/widget.md in rest/conformance describes it. A field that
// must keep an explicit empty value is a pointer or has omitzero.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               *WidgetSpec   `json:"spec,omitempty" api:"required"`
	Status             *WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec has a field for every rule that the transcripts test.
type WidgetSpec struct {
	Size     *int32                     `json:"size,omitempty" api:"required,min=1,max=100"`
	Color    *string                    `json:"color,omitempty" api:"default=red,enum=red|green|blue"`
	Owner    *string                    `json:"owner,omitempty" api:"maxLength=10"`
	Code     *string                    `json:"code,omitempty" api:"pattern='^[a-z]+$'"`
	Replicas *int32                     `json:"replicas,omitempty" api:"min=0,default=1"`
	Big      *int64                     `json:"big,omitempty"`
	Weight   *float64                   `json:"weight,omitempty"`
	Paused   *bool                      `json:"paused,omitempty"`
	Note     json.RawMessage            `json:"note,omitempty" api:"nullable,type=string"`
	Port     json.RawMessage            `json:"port,omitempty" api:"intOrString"`
	Tags     []string                   `json:"tags,omitzero" api:"list=set,maxItems=5"`
	Steps    []string                   `json:"steps,omitzero"`
	Parts    []Part                     `json:"parts,omitzero" api:"list=map,key=name"`
	Settings map[string]string          `json:"settings,omitzero"`
	Limits   map[string]string          `json:"limits,omitzero" api:"map=atomic"`
	Template *Template                  `json:"template,omitempty" api:"default='{}'"`
	Extra    map[string]json.RawMessage `json:"extra,omitzero" api:"preserveUnknown"`
}

// Part is an element of a list with keys.
type Part struct {
	Name  string  `json:"name" api:"required"`
	Count *int32  `json:"count,omitempty" api:"default=1"`
	Kind  *string `json:"kind,omitempty" api:"enum=bolt|nut"`
}

// Template is set by default and has defaults of its own.
type Template struct {
	Image *string  `json:"image,omitempty" api:"default=none"`
	Args  []string `json:"args,omitzero"`
}

// WidgetStatus is the part that /status writes.
type WidgetStatus struct {
	Phase              string      `json:"phase,omitempty" api:"enum=Pending|Ready|Failed"`
	Replicas           *int32      `json:"replicas,omitempty"`
	Selector           *string     `json:"selector,omitempty"`
	ObservedGeneration *int64      `json:"observedGeneration,omitempty"`
	Conditions         []Condition `json:"conditions,omitzero" api:"list=map,key=type"`
}

// Condition keeps its time as the client wrote it, whereas that of apimeta normalizes it.
type Condition struct {
	Type               string  `json:"type" api:"required"`
	Status             string  `json:"status" api:"required,enum=True|False|Unknown"`
	Reason             *string `json:"reason,omitempty"`
	Message            *string `json:"message,omitempty"`
	LastTransitionTime *string `json:"lastTransitionTime,omitempty" api:"format=date-time"`
}

// Resource declares the kind as the transcripts have it.
func Resource() rest.Resource[Widget] {
	return rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Names:            rest.Names{Short: []string{"wd"}, Categories: []string{"all"}},
		SelectableFields: []string{"spec.color", "spec.owner"},
		Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas",
			Selector: ".status.selector"},
		Columns: []rest.Column{
			{Name: "Size", Type: "integer", Path: ".spec.size", Description: "Size of the widget."},
			{Name: "Color", Path: ".spec.color"},
			{Name: "Phase", Path: ".status.phase"},
			{Name: "Owner", Path: ".spec.owner", Priority: 1},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
	}
}
