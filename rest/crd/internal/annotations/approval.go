package annotations

import (
	"fmt"
	"net/url"
	"strings"
)

const (
	approved     = "api-approved.kubernetes.io" // apiextensions.ApprovedAnnotation
	approvalPage = "https://github.com/kubernetes/enhancements/pull/1111"
)

// Approval is what the annotation of its approval says about a definition in a group of the Kubernetes project.
type Approval int

// The annotation has one of these meanings.
const (
	ApprovalInvalid Approval = iota
	Approved
	ApprovalBypassed // the value begins with "unapproved"
	ApprovalMissing
)

// ApprovalOf returns the approval of a definition, and a sentence about it. protected is false for a group that needs
// none.
func ApprovalOf(group string, all map[string]string) (approval Approval, reason string, protected bool) {
	protected = group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") || group == "kubernetes.io" ||
		strings.HasSuffix(group, ".kubernetes.io")
	value := all[approved]
	link, err := url.ParseRequestURI(value)
	switch {
	case value == "":
		return ApprovalMissing, fmt.Sprintf("protected groups must have approval annotation %q, see %s", approved,
			approvalPage), protected
	case strings.HasPrefix(value, "unapproved"):
		return ApprovalBypassed, fmt.Sprintf("not approved: %q", value), protected
	case err == nil && link.Host != "" && link.Scheme != "":
		return Approved, "approved in " + value, protected
	}
	return ApprovalInvalid, fmt.Sprintf("protected groups must have approval annotation %q with either a URL or a reason "+
		`starting with "unapproved", see %s`, approved, approvalPage), protected
}
