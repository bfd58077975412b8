package main

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Invoice is what kubectl sees of a row of the table invoices.
type Invoice struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   InvoiceSpec   `json:"spec" api:"doc='What is invoiced.'"`
	Status InvoiceStatus `json:"status,omitzero" api:"doc='What the service has done about it.'"`
}

// InvoiceSpec holds the row and what users want to happen to it. Only the service inserts rows, and users cannot change
// the inserted values.
type InvoiceSpec struct {
	Number   int64  `json:"number" api:"immutable,min=1,max=999999999,doc='The number of the row.'"`
	Customer string `json:"customer" api:"immutable,minLength=1,maxLength=100,doc='Who pays.'"`
	Cents    int64  `json:"cents" api:"immutable,min=1,max=1000000000,doc='How much.'"`
	State    string `json:"state,omitempty" api:"enum=Due|Cancelled,default=Due,doc='Cancelled takes the invoice back.'"`
}

// InvoiceStatus is what the service has done about the spec.
type InvoiceStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty" api:"doc='The generation of the spec that the row shows.'"`
	State              string `json:"state,omitempty" api:"enum=Due|Cancelled,doc='The state of the row.'"`
}

// invoices says how invoices are served.
func invoices() rest.Resource[Invoice] {
	return rest.Resource[Invoice]{
		Group: "billing.example.com", Version: "v1", Plural: "invoices",
		Description: "Invoice is an invoice of the billing service.",
		Columns: []rest.Column{
			{Name: "Customer", Path: ".spec.customer"},
			{Name: "Cents", Type: "integer", Path: ".spec.cents"},
			{Name: "State", Path: ".status.state"},
		},
		SelectableFields: []string{"spec.customer"},
	}
}
