package kinds

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
)

// permitSigning returns an error unless a user may approve or sign requests of a signer.
func permitSigning(ctx context.Context, user access.User, verb, signer string) error {
	may, err := hasRightOn(ctx, user, verb, signer)
	if err == nil && !may {
		err = fmt.Errorf("user not permitted to %s requests with signerName %q", verb, signer)
	}
	return err
}

// hasRightOn reports whether a user has a right on a signer, or on all signers of its domain.
func hasRightOn(ctx context.Context, user access.User, verb, signer string) (bool, error) {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		decision, err := access.Authorize(ctx,
			access.Access{User: user, Verb: access.Verb(verb), Group: "certificates.k8s.io", Version: "*", Resource: "signers",
				Name: name})
		if err != nil || decision.Allowed() {
			return err == nil, err
		}
	}
	return false, nil
}

// permitApproval lets only those approve or deny a request who may do so for its signer.
func permitApproval(ctx context.Context, r *admission.Request) error {
	var was certificatesv1.CertificateSigningRequest
	if err := r.OldObject(&was); err != nil {
		return err
	}
	return permitSigning(ctx, r.User, "approve", was.Spec.SignerName)
}

// permitCertificate lets only those issue a certificate, or refuse to, who may do so for the signer of the request.
func permitCertificate(ctx context.Context, r *admission.Request) error {
	var now, was certificatesv1.CertificateSigningRequest
	if err := errors.Join(r.Object(&now), r.OldObject(&was)); err != nil {
		return err
	}
	failed := len(conditionsOf(&now, certificatesv1.CertificateFailed)) != len(conditionsOf(&was,
		certificatesv1.CertificateFailed))
	if !failed && string(now.Status.Certificate) == string(was.Status.Certificate) {
		return nil
	}
	return permitSigning(ctx, r.User, "sign", was.Spec.SignerName)
}

// restrictSubject refuses requests for client certificates of administrators.
func restrictSubject(_ context.Context, r *admission.Request) error {
	var csr certificatesv1.CertificateSigningRequest
	if err := r.Object(&csr); err != nil || csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
		return err
	}
	block, _ := pem.Decode(csr.Spec.Request)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return errors.New("failed to parse CSR: PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return fmt.Errorf("failed to parse CSR: %w", err)
	}
	if slices.Contains(request.Subject.Organization, "system:masters") {
		return fmt.Errorf("use of %s signer with system:masters group is not allowed",
			certificatesv1.KubeAPIServerClientSignerName)
	}
	return nil
}

// permitAttestation lets only those write a bundle of trusted certificates who may attest for its signer. The garbage
// collector may change the owners and finalizers of any bundle.
func permitAttestation(ctx context.Context, r *admission.Request) error {
	var now, was certificatesv1.ClusterTrustBundle
	if err := r.Object(&now); err != nil || now.Spec.SignerName == "" {
		return err
	}
	if r.Operation == admission.Update {
		if err := r.OldObject(&was); err != nil {
			return err
		}
		now.OwnerReferences, now.Finalizers, now.ManagedFields = was.OwnerReferences, was.Finalizers, was.ManagedFields
		if equality.Semantic.DeepEqual(now, was) {
			return nil
		}
	}
	may, err := hasRightOn(ctx, r.User, "attest", now.Spec.SignerName)
	if err == nil && !may {
		err = fmt.Errorf("user not permitted to attest for signerName %q", now.Spec.SignerName)
	}
	return err
}
