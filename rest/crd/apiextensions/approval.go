package apiextensions

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/decorum-go/decorum/status"
)

const approvalPage = "https://github.com/kubernetes/enhancements/pull/1111"

// Approval is what the annotation [ApprovedAnnotation] says about a definition in a group of the Kubernetes project.
type Approval int

// The approvals.
const (
	ApprovalInvalid Approval = iota
	Approved
	ApprovalBypassed // the value begins with "unapproved"
	ApprovalMissing
)

// ApprovalOf returns the approval of a definition, and a sentence about it. protected is false for a group that needs
// none.
func ApprovalOf(d *CustomResourceDefinition) (approval Approval, reason string, protected bool) {
	g := d.Spec.Group
	protected = g == "k8s.io" || strings.HasSuffix(g, ".k8s.io") || g == "kubernetes.io" ||
		strings.HasSuffix(g, ".kubernetes.io")
	value := d.Annotations[ApprovedAnnotation]
	link, err := url.ParseRequestURI(value)
	switch {
	case value == "":
		return ApprovalMissing, fmt.Sprintf("protected groups must have approval annotation %q, see %s", ApprovedAnnotation,
			approvalPage), protected
	case strings.HasPrefix(value, "unapproved"):
		return ApprovalBypassed, fmt.Sprintf("not approved: %q", value), protected
	case err == nil && link.Host != "" && link.Scheme != "":
		return Approved, "approved in " + value, protected
	}
	return ApprovalInvalid, fmt.Sprintf("protected groups must have approval annotation %q with either a URL or a reason starting with \"unapproved\", see %s",
		ApprovedAnnotation, approvalPage), protected
}

// approval checks the annotation. An update may leave it as it is.
func (c *checker) approval(d, old *CustomResourceDefinition) {
	now, reason, protected := ApprovalOf(d)
	if !protected {
		return
	}
	if old != nil {
		if was, _, _ := ApprovalOf(old); was == now {
			return
		}
	}
	at := status.NewPath("metadata", "annotations").Key(ApprovedAnnotation)
	switch now {
	case ApprovalMissing:
		c.fail(status.RequiredField(at, reason))
	case ApprovalInvalid:
		c.fail(status.InvalidField(at, d.Annotations[ApprovedAnnotation], reason))
	}
}
