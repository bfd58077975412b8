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

	"github.com/decorum-go/decorum/rest"
)

// permitSigning returns an error unless a user has a right on a signer, or on all signers of its domain.
func permitSigning(ctx context.Context, user rest.User, verb, signer string) error {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		decision, err := rest.Authorize(ctx,
			rest.Access{User: user, Verb: rest.Verb(verb), Group: "certificates.k8s.io", Version: "*", Resource: "signers",
				Name: name})
		if err != nil {
			return err
		}
		if decision.Allowed() {
			return nil
		}
	}
	return fmt.Errorf("user not permitted to %s requests with signerName %q", verb, signer)
}

// permitApproval lets only those approve or deny a request who may do so for its signer.
func permitApproval(ctx context.Context, r *rest.AdmissionRequest) error {
	var was certificatesv1.CertificateSigningRequest
	if err := r.OldObject(&was); err != nil {
		return err
	}
	return permitSigning(ctx, r.User, "approve", was.Spec.SignerName)
}

// permitCertificate lets only those issue a certificate, or refuse to, who may do so for the signer of the request.
func permitCertificate(ctx context.Context, r *rest.AdmissionRequest) error {
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
func restrictSubject(_ context.Context, r *rest.AdmissionRequest) error {
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
