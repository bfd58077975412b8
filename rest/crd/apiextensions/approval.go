package apiextensions

import (
	"github.com/decorum-go/decorum/rest/crd/internal/annotations"
	"github.com/decorum-go/decorum/status"
)

// approval checks the annotation. An update may leave it as it is.
func (c *checker) approval(d, old *CustomResourceDefinition) {
	now, reason, protected := annotations.ApprovalOf(d.Spec.Group, d.Annotations)
	if !protected {
		return
	}
	if old != nil {
		if was, _, _ := annotations.ApprovalOf(old.Spec.Group, old.Annotations); was == now {
			return
		}
	}
	at := status.NewPath("metadata", "annotations").Key(ApprovedAnnotation)
	switch now {
	case annotations.ApprovalMissing:
		c.fail(status.RequiredField(at, reason))
	case annotations.ApprovalInvalid:
		c.fail(status.InvalidField(at, d.Annotations[ApprovedAnnotation], reason))
	}
}
