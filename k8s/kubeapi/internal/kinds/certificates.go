package kinds

import (
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// approvalPart is the subresource through which a request is approved or denied.
const approvalPart = "approval"

// certificateSigningRequests returns the kind CertificateSigningRequest. The server records who made a request. A
// request does not change: approvers write its conditions through /approval, and signers the certificate and the
// condition Failed through /status.
func certificateSigningRequests() rest.Resource[certificatesv1.CertificateSigningRequest] {
	r := of[certificatesv1.CertificateSigningRequest]()
	r.Wire.StatusParts = []string{approvalPart}
	return validating(preparing(r, prepareSigningRequest), validateApproval)
}

func prepareSigningRequest(ctx context.Context, csr, old *certificatesv1.CertificateSigningRequest) error {
	switch {
	case old == nil:
		user := access.UserFrom(ctx)
		csr.Spec.Username, csr.Spec.UID, csr.Spec.Groups, csr.Spec.Extra = user.Name, user.UID, user.Groups, nil
		for key, values := range user.Extra {
			if csr.Spec.Extra == nil {
				csr.Spec.Extra = map[string]certificatesv1.ExtraValue{}
			}
			csr.Spec.Extra[key] = values
		}
	case part(ctx) == approvalPart:
		conditions := csr.Status.Conditions
		csr.Status = *old.Status.DeepCopy()
		csr.Status.Conditions = conditions
		stampConditions(csr, old)
	case part(ctx) == "status":
		for _, kind := range decisions() {
			keepConditions(csr, old, kind)
		}
		stampConditions(csr, old)
	default:
		csr.Spec = *old.Spec.DeepCopy()
	}
	return nil
}

// decisions are the conditions that only an approver sets.
func decisions() []certificatesv1.RequestConditionType {
	return []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied}
}

// conditionsOf returns the conditions of a type.
func conditionsOf(csr *certificatesv1.CertificateSigningRequest,
	kind certificatesv1.RequestConditionType) (found []*certificatesv1.CertificateSigningRequestCondition) {
	for i := range csr.Status.Conditions {
		if c := &csr.Status.Conditions[i]; c.Type == kind {
			found = append(found, c)
		}
	}
	return found
}

// keepConditions undoes the changes of the conditions of a type, unless there are more or fewer of them: then
// validation refuses the write.
func keepConditions(csr, old *certificatesv1.CertificateSigningRequest, kind certificatesv1.RequestConditionType) {
	now, was := conditionsOf(csr, kind), conditionsOf(old, kind)
	if len(now) != len(was) {
		return
	}
	for i := range now {
		*now[i] = *was[i]
	}
}

// stampConditions fills in the times of conditions. The time of the transition changes only with the status of the
// condition.
func stampConditions(csr, old *certificatesv1.CertificateSigningRequest) {
	at := metav1.Now()
	for i := range csr.Status.Conditions {
		c := &csr.Status.Conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = at
		}
		if c.LastTransitionTime.IsZero() {
			c.LastTransitionTime = at
			for _, was := range conditionsOf(old, c.Type) {
				if was.Status == c.Status && !was.LastTransitionTime.IsZero() {
					c.LastTransitionTime = was.LastTransitionTime
					break
				}
			}
		}
	}
}

// validateApproval refuses to take back a decision, and to make one that contradicts another.
func validateApproval(ctx context.Context, csr, old *certificatesv1.CertificateSigningRequest) status.FieldErrors {
	if old == nil || part(ctx) != approvalPart {
		return nil
	}
	return validation.CheckApproval(csr, old)
}
