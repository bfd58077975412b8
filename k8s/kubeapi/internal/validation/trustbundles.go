package validation

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxTrustBundle is the largest size of a bundle of certificates in bytes.
const maxTrustBundle = 1 << 20

// trustBundle checks a ClusterTrustBundle. If it has a signer, its name must begin with the name of the signer.
func (r *report) trustBundle(obj *certificatesv1.ClusterTrustBundle) {
	signer, name := obj.Spec.SignerName, obj.Name
	at := field.NewPath("metadata", "name")
	switch prefix := strings.ReplaceAll(signer, "/", ":") + ":"; {
	case name == "": // the rules of the core report it
	case signer == "" && strings.Contains(name, ":"):
		r.add(field.Invalid(at, name, `ClusterTrustBundle without signer name must not have ":" in its name`))
	case signer != "" && !strings.HasPrefix(name, prefix):
		r.add(field.Invalid(at, name, fmt.Sprintf("ClusterTrustBundle for signerName %s must be named with prefix %s", signer,
			prefix)))
	default:
		if signer != "" {
			name = strings.TrimPrefix(name, prefix)
		}
		for _, message := range apimachinery.NameIsDNSSubdomain(name, false) {
			r.add(field.Invalid(at, obj.Name, message))
		}
	}
	if signer != "" {
		r.signer(field.NewPath("spec", "signerName"), signer)
	}
	r.trustAnchors(field.NewPath("spec", "trustBundle"), obj.Spec.TrustBundle)
}

func (r *report) trustBundleChange(obj, old *certificatesv1.ClusterTrustBundle) {
	r.frozen(field.NewPath("spec", "signerName"), obj.Spec.SignerName, old.Spec.SignerName)
}

// trustAnchors checks that a text contains certificates of authorities without duplicates.
func (r *report) trustAnchors(p *field.Path, text string) {
	if len(text) > maxTrustBundle {
		r.add(field.TooLong(p, "", maxTrustBundle))
		return
	}
	before, seen := len(r.errs), map[string][]int{}
	var order []string
	rest := []byte(text)
	for i := 0; ; i++ {
		var b *pem.Block
		if b, rest = pem.Decode(rest); b == nil {
			break
		}
		if fault := anchorFault(b); fault != "" {
			r.add(field.Invalid(p, "<value omitted>", fmt.Sprintf("entry %d %s", i, fault)))
			continue
		}
		if key := string(b.Bytes); seen[key] == nil {
			order = append(order, key)
		}
		seen[string(b.Bytes)] = append(seen[string(b.Bytes)], i)
	}
	if len(r.errs) > before {
		return
	}
	r.is(len(seen) > 0, field.Invalid(p, "<value omitted>", "at least one trust anchor must be provided"))
	for _, key := range order {
		r.is(len(seen[key]) == 1, field.Invalid(p, "<value omitted>", fmt.Sprintf("duplicate trust anchor (indices %v)",
			seen[key])))
	}
}

// anchorFault returns why a block is not a certificate of an authority, or "".
func anchorFault(b *pem.Block) string {
	if b.Type != "CERTIFICATE" {
		return "has bad block type: " + b.Type
	}
	if len(b.Headers) > 0 {
		return "has PEM block headers"
	}
	cert, err := x509.ParseCertificate(b.Bytes)
	switch {
	case err != nil:
		return "does not parse as X.509"
	case !cert.IsCA:
		return "does not have the CA bit set"
	case !cert.BasicConstraintsValid:
		return "has invalid basic constraints"
	}
	return ""
}
