package main

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Report is what a scanner has found.
type Report struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec ReportSpec `json:"spec"`
}

// ReportSpec is the content of a report.
type ReportSpec struct {
	Scanner  string    `json:"scanner" api:"minLength=1,maxLength=100,doc='The program that has found this.'"`
	Severity string    `json:"severity,omitempty" api:"enum=Low|Medium|High,default=Low,doc='The worst finding.'"`
	Findings []Finding `json:"findings,omitempty" api:"maxItems=1000,list=atomic,doc='What was found.'"`
}

// Finding is one fault.
type Finding struct {
	Title string `json:"title" api:"minLength=1,maxLength=1000,doc='What is wrong.'"`
}

// reports declares the kind.
func reports() rest.Resource[Report] {
	return rest.Resource[Report]{
		Group: "reports.example.com", Version: "v1", Plural: "reports",
		Description: "Report is what a scanner has found.",
		Columns: []rest.Column{
			{Name: "Scanner", Path: ".spec.scanner"},
			{Name: "Severity", Path: ".spec.severity"},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
		SelectableFields: []string{"spec.severity"},
	}
}
