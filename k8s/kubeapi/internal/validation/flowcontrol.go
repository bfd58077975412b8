package validation

import (
	"encoding/json"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
	"github.com/decorum-go/decorum/status"
)

// The rules of flow control are those of package flowcontrol, because other hosts serve these kinds too.

func (r *report) flowSchema(obj *flowcontrolv1.FlowSchema) {
	r.flowControl(obj, &flowcontrol.FlowSchema{}, "")
}

func (r *report) flowSchemaStatus(obj *flowcontrolv1.FlowSchema) {
	r.flowControl(obj, &flowcontrol.FlowSchema{}, "status.")
}

func (r *report) priorityLevel(obj *flowcontrolv1.PriorityLevelConfiguration) {
	_, ok := obj.Annotations[keptZeroSharesKey]
	r.is(!ok, field.Forbidden(field.NewPath("metadata", "annotations"),
		"annotation '"+keptZeroSharesKey+"' is forbidden"))
	r.flowControl(obj, &flowcontrol.PriorityLevelConfiguration{}, "")
}

func (r *report) priorityLevelStatus(obj *flowcontrolv1.PriorityLevelConfiguration) {
	r.flowControl(obj, &flowcontrol.PriorityLevelConfiguration{}, "status.")
}

// flowControl adds the faults of obj in a part of it. same is an object of the same kind in package flowcontrol.
func (r *report) flowControl(obj any, same interface{ Validate() status.FieldErrors }, part string) {
	text, err := json.Marshal(obj)
	if err == nil {
		err = json.Unmarshal(text, same)
	}
	if err != nil {
		r.add(field.InternalError(nil, err))
		return
	}
	for _, e := range same.Validate() {
		if !strings.HasPrefix(e.Field, part) {
			continue
		}
		fault := &field.Error{Type: field.ErrorType(e.Type), Field: e.Field, BadValue: e.BadValue, Detail: e.Detail}
		if fault.BadValue == nil { // field.Required sets the empty string
			fault.BadValue = ""
		}
		r.add(fault)
	}
}
