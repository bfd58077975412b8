package policy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	ar "github.com/decorum-go/decorum/rest/admissionregistration"
)

const (
	// failuresKey is the annotation that lists the validations that failed in bindings with the action Audit.
	failuresKey = "validation.policy.admission.k8s.io/validation_failure"
	// maxFailures bounds that list, and maxAnnotation the value of any other annotation, in bytes.
	maxFailures   = 50
	maxAnnotation = 10 << 10
)

// annotations are the audit annotations of a write.
type annotations struct {
	values   map[string][]string // the keys are a policy and a key
	failures []failedValidation
}

// failedValidation is a validation that failed, in the JSON of Kubernetes.
type failedValidation struct {
	Message           string                `json:"message"`
	Policy            string                `json:"policy"`
	Binding           string                `json:"binding"`
	ExpressionIndex   int                   `json:"expressionIndex"`
	ValidationActions []ar.ValidationAction `json:"validationActions"`
}

func newAnnotations() *annotations { return &annotations{values: map[string][]string{}} }

// add adds the value that a policy has for a key. A policy with several bindings or parameters may have several
// different values.
func (a *annotations) add(policy, key, value string) {
	key, value = policy+"/"+key, value[:min(len(value), maxAnnotation)]
	if !slices.Contains(a.values[key], value) {
		a.values[key] = append(a.values[key], value)
	}
}

// publish passes the annotations to the host.
func (w *reviewed) publish(ctx context.Context, a *annotations) {
	if w.policies.audit == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(a.values)) {
		w.policies.audit(ctx, key, strings.Join(a.values[key], ", "))
	}
	if len(a.failures) > 0 {
		if text, err := json.Marshal(a.failures[:min(len(a.failures), maxFailures)]); err == nil {
			w.policies.audit(ctx, failuresKey, string(text))
		}
	}
}
