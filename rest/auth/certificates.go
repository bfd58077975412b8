package auth

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
)

// Certificates returns an authenticator for TLS client certificates that authorities have signed. The common name is
// the user, and the organizations are the groups. Like all credentials that expire, a certificate is refused from then
// on, also on a connection that began earlier.
//
// It believes only a certificate that the host's server has verified: set ClientAuth of [crypto/tls.Config] to
// VerifyClientCertIfGiven or RequireAndVerifyClientCert, and ClientCAs to a pool that contains authorities. ClientCAs
// may contain more, such as the authority of the proxies of [RequestHeaders], whose certificates are not users here. If
// authorities is nil or empty, Certificates refuses every certificate.
func Certificates(authorities *x509.CertPool) access.Authenticator {
	return access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		leaf := verified(r)
		switch {
		case leaf == nil:
			return nil, nil
		case !signed(r, authorities):
			return nil, errForeignCertificate
		case leaf.Subject.CommonName == "":
			return nil, errors.New("the client certificate has no common name")
		}
		sum := sha256.Sum256(leaf.Raw)
		return &access.Identity{Expires: leaf.NotAfter,
			User: access.User{Name: leaf.Subject.CommonName, Groups: leaf.Subject.Organization,
				Extra: map[string][]string{identity.CredentialID: {"X509SHA256=" + hex.EncodeToString(sum[:])}}}}, nil
	})
}

// errForeignCertificate is the reason in the log why a certificate is refused.
var errForeignCertificate = errors.New("the client certificate is of another authority than those of the users")

// verified returns the client certificate that the server has verified, or nil.
func verified(r *http.Request) *x509.Certificate {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
		return nil
	}
	return r.TLS.VerifiedChains[0][0]
}

// signed reports whether a certificate of the pool stands in a chain that the server has verified.
//
// A pool cannot be asked for a certificate, but Verify answers for one that is in the pool without checking a signature,
// with a chain of this certificate alone. The authority is last in its chain, so it is tried first.
func signed(r *http.Request, pool *x509.CertPool) bool {
	if pool == nil {
		return false // Verify would ask the pool of the operating system
	}
	for _, chain := range r.TLS.VerifiedChains {
		for _, certificate := range slices.Backward(chain) {
			found, err := certificate.Verify(x509.VerifyOptions{Roots: pool,
				KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
			if err == nil && len(found[0]) == 1 {
				return true
			}
		}
	}
	return false
}
