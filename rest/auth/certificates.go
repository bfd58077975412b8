package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/identity"
)

// Certificates returns an authenticator for TLS client certificates. The common name is the user, and the organizations
// are the groups. It believes only a certificate whose chain the host's server has verified: set ClientCAs of
// [crypto/tls.Config], and ClientAuth to VerifyClientCertIfGiven or RequireAndVerifyClientCert. Like all credentials
// that expire, a certificate is refused from then on, also on a connection that began earlier.
func Certificates() rest.Authenticator {
	return rest.AuthenticatorFunc(func(r *http.Request) (*rest.Identity, error) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
			return nil, nil
		}
		leaf := r.TLS.VerifiedChains[0][0]
		if leaf.Subject.CommonName == "" {
			return nil, errors.New("the client certificate has no common name")
		}
		sum := sha256.Sum256(leaf.Raw)
		return &rest.Identity{Expires: leaf.NotAfter,
			User: rest.User{Name: leaf.Subject.CommonName, Groups: leaf.Subject.Organization,
				Extra: map[string][]string{identity.CredentialID: {"X509SHA256=" + hex.EncodeToString(sum[:])}}}}, nil
	})
}
