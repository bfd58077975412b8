package validation

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/status"
)

// usages are what a key may be for, in the order in which Kubernetes lists them.
var usages = []certificatesv1.KeyUsage{
	certificatesv1.UsageAny, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth,
	certificatesv1.UsageCodeSigning, certificatesv1.UsageContentCommitment, certificatesv1.UsageCRLSign,
	certificatesv1.UsageDataEncipherment, certificatesv1.UsageDecipherOnly, certificatesv1.UsageDigitalSignature,
	certificatesv1.UsageEmailProtection, certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem,
	certificatesv1.UsageIPsecTunnel, certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement,
	certificatesv1.UsageKeyEncipherment, certificatesv1.UsageMicrosoftSGC, certificatesv1.UsageNetscapeSGC,
	certificatesv1.UsageOCSPSigning, certificatesv1.UsageSMIME, certificatesv1.UsageServerAuth,
	certificatesv1.UsageSigning, certificatesv1.UsageTimestamping,
}

// signingRequest checks a new request. It does not change afterwards.
func (r *report) signingRequest(obj *certificatesv1.CertificateSigningRequest) {
	p, s := field.NewPath("spec"), &obj.Spec
	if r.existing {
		return
	}
	if err := requestProblem(s.Request); err != nil {
		r.add(field.Invalid(p.Child("request"), s.Request, err.Error()))
	}
	r.is(len(s.Usages) > 0, field.Required(p.Child("usages"), ""))
	seen := map[string]bool{}
	for i, u := range s.Usages {
		supported(r, p.Child("usages").Index(i), u, usages...)
		r.distinct(p.Child("usages").Index(i), string(u), seen)
	}
	signer := p.Child("signerName")
	if s.SignerName == "kubernetes.io/legacy-unknown" {
		r.add(field.Invalid(signer, s.SignerName, "the legacy signerName is not allowed via this API version"))
	} else {
		r.signer(signer, s.SignerName)
	}
	if d := s.ExpirationSeconds; d != nil {
		r.is(*d >= 600, field.Invalid(p.Child("expirationSeconds"), *d, "may not specify a duration less than 600 seconds "+
			"(10 minutes)"))
	}
}

// requestProblem returns the fault of a request in PEM.
func requestProblem(text []byte) error {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err
	}
	return request.CheckSignature()
}

// signer checks the name of a signer: a domain and a path.
func (r *report) signer(p *field.Path, name string) {
	if !r.given(p, name) {
		return
	}
	domain, path, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(path, "/") {
		r.add(field.Invalid(p, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"))
		return
	}
	r.is(len(domain) <= validation.DNS1123SubdomainMaxLength, field.TooLong(p, "", validation.DNS1123SubdomainMaxLength))
	r.parts(p, domain, validation.IsDNS1123Label)
	r.is(strings.Contains(domain, "."), field.Invalid(p, domain, "should be a domain with at least two segments "+
		"separated by dots"))
	r.parts(p, path, validation.IsDNS1123Subdomain)
	const longest = 2*validation.DNS1123SubdomainMaxLength + validation.DNS1123LabelMaxLength + 2
	r.is(len(name) <= longest, field.TooLong(p, "", longest))
}

// parts checks the parts of a text between dots, up to the first that is invalid.
func (r *report) parts(p *field.Path, text string, rule func(string) []string) {
	for part := range strings.SplitSeq(text, ".") {
		messages := rule(part)
		for _, message := range messages {
			r.add(field.Invalid(p, text, fmt.Sprintf("validating label %q: %s", part, message)))
		}
		if len(messages) > 0 {
			return
		}
	}
}

// CheckApproval returns the faults of a write that approves or denies a request.
func CheckApproval(obj, old *certificatesv1.CertificateSigningRequest) status.FieldErrors {
	return append(added(obj, old, (*report).ofStatus),
		faults(func(r *report) {
			r.decisionsStay(field.NewPath("status"), &obj.Status, &old.Status)
			r.is(string(obj.Status.Certificate) == string(old.Status.Certificate),
				field.Forbidden(field.NewPath("status", "certificate"), "updates may not set certificate content"))
		})...)
}

// signingStatusChange checks what a signer writes: the certificate once, and no decision.
func (r *report) signingStatusChange(obj, old *certificatesv1.CertificateSigningRequest) {
	p, now, was := field.NewPath("status"), &obj.Status, &old.Status
	r.decisionsStay(p, now, was)
	conditions := p.Child("conditions")
	for _, t := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved,
		certificatesv1.CertificateDenied} {
		has, had := decisions(now, t), decisions(was, t)
		switch {
		case len(has) > len(had):
			r.add(field.Forbidden(conditions, fmt.Sprintf("updates may not add a condition of type %q", t)))
		case len(has) == len(had):
			r.is(same(has, had), field.Forbidden(conditions, fmt.Sprintf("updates may not modify a condition of type %q", t)))
		}
	}
	r.is(len(was.Certificate) == 0 || string(now.Certificate) == string(was.Certificate),
		field.Forbidden(p.Child("certificate"), "updates may not modify existing certificate content"))
}

// decisionsStay checks that no decision is taken back.
func (r *report) decisionsStay(p *field.Path, now, was *certificatesv1.CertificateSigningRequestStatus) {
	for _, t := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved,
		certificatesv1.CertificateDenied, certificatesv1.CertificateFailed} {
		r.is(len(decisions(now, t)) >= len(decisions(was, t)),
			field.Forbidden(p.Child("conditions"), fmt.Sprintf("updates may not remove a condition of type %q", t)))
	}
}

// decisions returns the conditions of a type.
func decisions(
	s *certificatesv1.CertificateSigningRequestStatus, t certificatesv1.RequestConditionType,
) (all []certificatesv1.CertificateSigningRequestCondition) {
	for _, c := range s.Conditions {
		if c.Type == t {
			all = append(all, c)
		}
	}
	return all
}

// signingStatus checks the decisions about a request, and its certificates.
func (r *report) signingStatus(obj *certificatesv1.CertificateSigningRequest) {
	p, s := field.NewPath("status"), &obj.Status
	seen := map[string]bool{}
	for i, c := range s.Conditions {
		exclusive := seen[string(certificatesv1.CertificateDenied)] && c.Type == certificatesv1.CertificateApproved ||
			seen[string(certificatesv1.CertificateApproved)] && c.Type == certificatesv1.CertificateDenied
		r.is(!exclusive, field.Invalid(p.Child("conditions"), c.Type,
			"Approved and Denied conditions are mutually exclusive"))
		p := p.Child("conditions").Index(i)
		r.given(p.Child("type"), string(c.Type))
		switch c.Type {
		case certificatesv1.CertificateApproved, certificatesv1.CertificateDenied, certificatesv1.CertificateFailed:
			oneOf(r, p.Child("status"), c.Status, corev1.ConditionTrue)
		default:
			oneOf(r, p.Child("status"), c.Status, corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown)
		}
		r.distinct(p.Child("type"), string(c.Type), seen)
	}
	if err := certificatesProblem(s.Certificate); err != nil {
		r.add(field.Invalid(p.Child("certificate"), "<certificate data>", err.Error()))
	}
}

// certificatesProblem returns the fault of certificates in PEM.
func certificatesProblem(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	blocks := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		blocks++
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("only CERTIFICATE PEM blocks are allowed, found %q", block.Type)
		}
		if len(block.Headers) > 0 {
			return errors.New("no PEM block headers are permitted")
		}
		all, err := x509.ParseCertificates(block.Bytes)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return errors.New("found CERTIFICATE PEM block containing 0 certificates")
		}
	}
	if blocks == 0 {
		return errors.New("must contain at least one CERTIFICATE PEM block")
	}
	return nil
}
