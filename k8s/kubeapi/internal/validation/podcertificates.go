package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// projectedKinds checks that a part of a projected volume has one source.
func (r *report) projectedKinds(p *field.Path, s *corev1.VolumeProjection) {
	n := 0
	for _, set := range []bool{s.Secret != nil, s.ConfigMap != nil, s.DownwardAPI != nil, s.ServiceAccountToken != nil,
		s.ClusterTrustBundle != nil, s.PodCertificate != nil} {
		if set {
			n++
		}
	}
	r.is(n <= 1, field.Forbidden(p, "may not specify more than 1 volume type per source"))
}

// bundle checks which certificates of authorities a Pod gets: those of one object, or those of a signer.
func (r *report) bundle(p *field.Path, b *corev1.ClusterTrustBundleProjection) {
	switch {
	case b.Name != nil && b.SignerName != nil:
		r.add(field.Invalid(p, b, "only one of name and signerName may be used"))
	case b.Name != nil:
		at := p.Child("name")
		r.is(*b.Name != "", field.Required(at, "must be a valid object name"))
		for _, message := range bundleName(*b.Name) {
			r.add(field.Invalid(at, *b.Name, "not a valid clustertrustbundlename: "+message))
		}
		r.is(b.LabelSelector == nil, field.Invalid(p.Child("labelSelector"), b.LabelSelector,
			"labelSelector must be unset if name is specified"))
	case b.SignerName != nil:
		r.is(*b.SignerName != "", field.Required(p.Child("signerName"), "must be a valid signer name"))
		r.signer(p.Child("signerName"), *b.SignerName)
		r.selector(p.Child("labelSelector"), b.LabelSelector)
	default:
		r.add(field.Required(p, "either name or signerName must be specified"))
	}
	r.given(p.Child("path"), b.Path)
	r.filePath(p.Child("path"), b.Path)
}

// bundleName returns what is wrong with the name of a ClusterTrustBundle, which begins with that of its signer if it
// has one.
func bundleName(name string) []string {
	i := strings.LastIndex(name, ":")
	if i == 0 {
		return []string{`ClusterTrustBundle without signer name must not have ":" in its name`}
	}
	return validation.IsDNS1123Subdomain(name[i+1:])
}

// podCertificate checks the certificate that a Pod gets, and where its files are.
func (r *report) podCertificate(p *field.Path, c *corev1.PodCertificateProjection) {
	r.signer(p.Child("signerName"), c.SignerName)
	for _, key := range slices.Sorted(maps.Keys(c.UserAnnotations)) {
		r.add(validation.IsDomainPrefixedKey(p.Child("userAnnotations"), strings.ToLower(key))...)
	}
	if apimachinery.ValidateAnnotationsSize(c.UserAnnotations) != nil {
		r.add(field.TooLong(p.Child("userAnnotations"), "", apimachinery.TotalAnnotationSizeLimitB))
	}
	types := []string{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}
	supported(r, p.Child("keyType"), c.KeyType, types...)
	if seconds := c.MaxExpirationSeconds; seconds != nil {
		most := int32(91 * 24 * 60 * 60)
		if domain, _, _ := strings.Cut(c.SignerName, "/"); domain == "kubernetes.io" ||
			strings.HasSuffix(domain, ".kubernetes.io") {
			most = 24 * 60 * 60
		}
		at := p.Child("maxExpirationSeconds")
		r.is(*seconds >= 3600, field.Invalid(at, *seconds, "if provided, maxExpirationSeconds must be >= 3600"))
		r.is(*seconds <= most, field.Invalid(at, *seconds, fmt.Sprintf("if provided, maxExpirationSeconds must be <= %d",
			most)))
	}
	some := false
	for _, file := range []text{{"credentialBundlePath", c.CredentialBundlePath}, {"keyPath", c.KeyPath},
		{"certificateChainPath", c.CertificateChainPath}} {
		if file.value != "" {
			some = true
			r.filePath(p.Child(file.name), file.value)
		}
	}
	r.is(some, field.Required(p, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"))
}
