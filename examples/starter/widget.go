package main

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Widget is the kind that this program serves. The tags validate, default and document its fields.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec" api:"doc='What the user wants.'"`
	Status WidgetStatus `json:"status,omitzero" api:"doc='What the controller has done.'"`
}

// WidgetSpec is what the user wants.
type WidgetSpec struct {
	Color string `json:"color,omitempty" api:"enum=Red|Green|Blue,default=Red,doc='What the widget is painted in.'"`
	Size  int32  `json:"size" api:"min=1,max=10,doc='How large the widget should be.'"`
}

// WidgetStatus is what the controller has done.
type WidgetStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty" api:"min=0,doc='The generation of the spec that the status is about.'"`
	Size               *int32              `json:"size,omitempty" api:"min=0,max=10,doc='How large the widget is.'"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,maxItems=8,doc='Ready is True when the widget has the size of its spec.'"`
}

// widgets declares where the API serves the kind and which columns kubectl prints.
func widgets() rest.Resource[Widget] {
	return rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Description: "Widget is a part that grows to its size.",
		Columns: []rest.Column{
			{Name: "Color", Path: ".spec.color"},
			{Name: "Size", Type: "integer", Path: ".status.size"},
			{Name: "Ready", Path: ".status.conditions[?(@.type=='Ready')].status"},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
	}
}
