package validation

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// These constants limit a PodCertificateRequest, in bytes and seconds.
const (
	maxRequestUID                               = 128
	maxStubRequest, maxChain                    = 10 << 10, 100 << 10
	minCertificateAge                           = 3600
	maxKubernetesCertificate, maxCertificateAge = 24 * 3600, 91 * 24 * 3600
)

// certificateRequest checks a new PodCertificateRequest. Its spec does not change afterwards.
func (r *report) certificateRequest(obj *certificatesv1.PodCertificateRequest) {
	if r.existing {
		return
	}
	p, s := field.NewPath("spec"), &obj.Spec
	r.signer(p.Child("signerName"), s.SignerName)
	for _, key := range slices.Sorted(maps.Keys(s.UnverifiedUserAnnotations)) {
		r.add(validation.IsDomainPrefixedKey(p.Child("unverifiedUserAnnotations"), strings.ToLower(key))...)
	}
	if apimachinery.ValidateAnnotationsSize(s.UnverifiedUserAnnotations) != nil {
		r.add(field.TooLong(p.Child("unverifiedUserAnnotations"), "", apimachinery.TotalAnnotationSizeLimitB))
	}
	for _, object := range []struct{ kind, name, uid string }{
		{"pod", s.PodName, string(s.PodUID)},
		{"serviceAccount", s.ServiceAccountName, string(s.ServiceAccountUID)},
		{"node", string(s.NodeName), string(s.NodeUID)},
	} {
		r.follows(p.Child(object.kind+"Name"), object.name, validation.IsDNS1123Subdomain)
		at := p.Child(object.kind + "UID")
		r.is(object.uid != "", field.Invalid(at, object.uid, "must not be empty"))
		r.is(len(object.uid) <= maxRequestUID, field.TooLong(at, object.uid, maxRequestUID))
	}
	if s.MaxExpirationSeconds == nil {
		r.add(field.Required(p.Child("maxExpirationSeconds"), "must be set"))
		return
	}
	most := int32(maxCertificateAge)
	if domain, _, _ := strings.Cut(s.SignerName, "/"); domain == "kubernetes.io" ||
		strings.HasSuffix(domain, ".kubernetes.io") {
		most = maxKubernetesCertificate
	}
	r.is(*s.MaxExpirationSeconds >= minCertificateAge && *s.MaxExpirationSeconds <= most,
		field.Invalid(p.Child("maxExpirationSeconds"), *s.MaxExpirationSeconds,
			fmt.Sprintf("must be in the range [%d, %d]", minCertificateAge, most)))
	if len(s.StubPKCS10Request) == 0 { // version v1beta1 has other fields
		r.add(field.Invalid(p, field.OmitValueType{},
			"exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"))
		return
	}
	r.stubRequest(p.Child("stubPKCS10Request"), s.StubPKCS10Request)
}

// stubRequest checks the request that proves that the Pod has the key.
func (r *report) stubRequest(p *field.Path, text []byte) {
	if len(text) > maxStubRequest {
		r.add(field.TooLong(p, text, maxStubRequest))
		return
	}
	request, err := x509.ParseCertificateRequest(text)
	if err != nil {
		r.add(field.Invalid(p, field.OmitValueType{}, "must be a valid PKCS#10 CSR"))
		return
	}
	if r.publicKey(p, request.PublicKey) {
		r.is(request.CheckSignature() == nil, field.Invalid(p, field.OmitValueType{}, "invalid signature"))
	}
}

// publicKey checks the kind and the size of a key, and reports whether they are valid.
func (r *report) publicKey(p *field.Path, key any) bool {
	switch key := key.(type) {
	case ed25519.PublicKey:
		return true
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256(), elliptic.P384(), elliptic.P521():
			return true
		}
		r.add(field.Invalid(p, "curve "+key.Curve.Params().Name,
			"elliptic public keys must use curve P256, P384, or P521"))
	case *rsa.PublicKey:
		bits := key.Size() * 8
		if bits == 3072 || bits == 4096 {
			return true
		}
		r.add(field.Invalid(p, fmt.Sprintf("%d-bit modulus", bits), "RSA keys must have modulus size 3072 or 4096"))
	default:
		r.add(field.Invalid(p, field.OmitValueType{},
			"unknown public key type; supported types are Ed25519, ECDSA, and RSA"))
	}
	return false
}

func (r *report) certificateRequestChange(obj, old *certificatesv1.PodCertificateRequest) {
	r.frozen(field.NewPath("spec"), obj.Spec, old.Spec)
}

// outcomes are the conditions that end a request.
var outcomes = []string{certificatesv1.PodCertificateRequestConditionTypeIssued,
	certificatesv1.PodCertificateRequestConditionTypeDenied, certificatesv1.PodCertificateRequestConditionTypeFailed}

// outcomeOf returns the condition that has ended a request, or "".
func outcomeOf(s *certificatesv1.PodCertificateRequestStatus) string {
	for _, c := range s.Conditions {
		if slices.Contains(outcomes, c.Type) && c.Status == metav1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// certificateRequestEnd checks the status that answers a request. The status is final.
func (r *report) certificateRequestEnd(obj, old *certificatesv1.PodCertificateRequest) {
	p, s := field.NewPath("status"), &obj.Status
	known := 0
	for i, c := range s.Conditions {
		at := p.Child("conditions", "["+strconv.Itoa(i)+"]")
		if !slices.Contains(outcomes, c.Type) {
			r.add(field.NotSupported(at.Child("type"), c.Type, outcomes))
			continue
		}
		if known++; known > 1 {
			r.add(field.Invalid(at.Child("type"), c.Type,
				`There may be at most one condition with type "Issued", "Denied", or "Failed"`))
		}
		if c.Status != metav1.ConditionTrue {
			r.add(field.NotSupported(at.Child("status"), c.Status, []metav1.ConditionStatus{metav1.ConditionTrue}))
		}
	}
	r.add(metavalidation.ValidateConditions(s.Conditions, p.Child("conditions"))...)
	if len(r.errs) > 0 {
		return
	}
	if outcomeOf(&old.Status) != "" {
		r.is(same(*s, old.Status), field.Invalid(p, field.OmitValueType{},
			"immutable after PodCertificateRequest is issued, denied, or failed"))
		return
	}
	switch outcomeOf(s) {
	case certificatesv1.PodCertificateRequestConditionTypeDenied, certificatesv1.PodCertificateRequestConditionTypeFailed:
		r.is(same(*s, certificatesv1.PodCertificateRequestStatus{Conditions: s.Conditions}),
			field.Invalid(p, field.OmitValueType{},
				"non-condition status fields must be empty when denying or failing the PodCertificateRequest"))
	case certificatesv1.PodCertificateRequestConditionTypeIssued:
		r.issued(p, obj, &old.Spec)
	default:
		r.is(same(*s, old.Status), field.Invalid(p, field.OmitValueType{},
			`status is immutable unless transitioning to "Issued", "Denied", or "Failed"`))
	}
}

// issued checks the certificates that answer a request.
func (r *report) issued(p *field.Path, obj *certificatesv1.PodCertificateRequest,
	asked *certificatesv1.PodCertificateRequestSpec) {
	chain, s := p.Child("certificateChain"), &obj.Status
	if len(s.CertificateChain) > maxChain {
		r.add(field.TooLong(chain, s.CertificateChain, maxChain))
		return
	}
	invalid := func(why string) { r.add(field.Invalid(chain, s.CertificateChain, why)) }
	block, rest := pem.Decode([]byte(s.CertificateChain))
	if block == nil {
		invalid("issued certificate chain must contain at least one certificate")
		return
	}
	if block.Type != "CERTIFICATE" {
		invalid("issued certificate chain must consist entirely of CERTIFICATE PEM blocks")
		return
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		invalid("leaf certificate does not parse as valid X.509")
		return
	}
	request, err := x509.ParseCertificateRequest(asked.StubPKCS10Request)
	if err != nil {
		r.add(field.Invalid(field.NewPath("spec", "stubPKCS10Request"), field.OmitValueType{},
			"must be a valid PKCS#10 CSR"))
		return
	}
	if !bytes.Equal(keyText(leaf.PublicKey), keyText(request.PublicKey)) {
		invalid("leaf certificate was not issued to the requested public key")
		return
	}
	if !r.times(p, s, leaf, time.Duration(ptr.Deref(asked.MaxExpirationSeconds, 0))*time.Second) {
		return
	}
	for {
		if block, rest = pem.Decode(rest); block == nil {
			return
		}
		if block.Type != "CERTIFICATE" {
			invalid("issued certificate chain must consist entirely of CERTFICATE PEM blocks")
			return
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			invalid("intermediate certificate does not parse as valid X.509")
			return
		}
	}
}

// keyText encodes a public key.
func keyText(key any) []byte {
	text, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil
	}
	return text
}

// times checks the times in the status of an issued certificate, and reports whether they are valid.
func (r *report) times(p *field.Path, s *certificatesv1.PodCertificateRequestStatus, leaf *x509.Certificate,
	most time.Duration) bool {
	before := len(r.errs)
	const consistent = "must be present and consistent with the issued certificate"
	r.is(s.NotBefore != nil, field.Required(p.Child("notBefore"), consistent))
	r.is(s.NotAfter != nil, field.Required(p.Child("notAfter"), consistent))
	r.is(s.BeginRefreshAt != nil, field.Required(p.Child("beginRefreshAt"),
		"must be present and in the range [notbefore+10min, notafter-10min]"))
	if len(r.errs) > before {
		return false
	}
	const margin, skew = 10 * time.Minute, 5 * time.Minute
	lifetime := leaf.NotAfter.Sub(leaf.NotBefore)
	chain := p.Child("certificateChain")
	switch now := time.Now(); {
	case !s.NotBefore.Time.Equal(leaf.NotBefore):
		r.add(field.Invalid(p.Child("notBefore"), s.NotBefore.Time,
			"must be set to the NotBefore time encoded in the leaf certificate"))
	case s.NotBefore.Sub(now).Abs() > skew:
		r.add(field.Invalid(p.Child("notBefore"), s.NotBefore.Time,
			"must be set to within 5 minutes of kube-apiserver's current time"))
	case !s.NotAfter.Time.Equal(leaf.NotAfter):
		r.add(field.Invalid(p.Child("notAfter"), s.NotAfter.Time,
			"must be set to the NotAfter time encoded in the leaf certificate"))
	case lifetime < time.Hour:
		r.add(field.Invalid(chain, lifetime, "leaf certificate lifetime must be >= 1 hour"))
	case lifetime > most:
		r.add(field.Invalid(chain, lifetime, fmt.Sprintf("leaf certificate lifetime must be <= spec.maxExpirationSeconds (%v)",
			int32(most/time.Second))))
	case s.BeginRefreshAt.Time.Before(s.NotBefore.Add(margin)):
		r.add(field.Invalid(p.Child("beginRefreshAt"), s.BeginRefreshAt.Time,
			"must be at least 10 minutes after status.notBefore"))
	case s.BeginRefreshAt.Time.After(s.NotAfter.Add(-margin)):
		r.add(field.Invalid(p.Child("beginRefreshAt"), s.BeginRefreshAt.Time,
			"must be at least 10 minutes before status.notAfter"))
	}
	return len(r.errs) == before
}
