package auth_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
)

// A proxy with a client certificate for the name front-proxy tells who its users are. Other clients present
// certificates of their own.
func ExampleRequestHeaders() {
	users := rest.Authenticators{auth.RequestHeaders(auth.Certificates(), "front-proxy"), auth.Certificates()}
	for _, certificate := range []string{"front-proxy", "mallory"} {
		r := httptest.NewRequest(http.MethodGet, "/apis", nil)
		r.Header.Set("X-Remote-User", "jane")
		r.TLS = verified(certificate) // net/http sets it for a connection whose client certificate it has verified
		who, err := users.Authenticate(r)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(who.User.Name)
	}
	// Output:
	// jane
	// mallory
}

// Everybody may send requests, and whoever has a token is a user with a name.
func ExampleOrAnonymous() {
	users := auth.OrAnonymous(auth.Tokens(auth.Token{Secret: "0123456789abcdef", User: rest.User{Name: "jane"}}))
	for _, header := range []string{"", "Bearer 0123456789abcdef", "Bearer guess"} {
		r := httptest.NewRequest(http.MethodGet, "/apis", nil)
		r.Header.Set("Authorization", header)
		who, err := users.Authenticate(r)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(who.User.Name)
	}
	// Output:
	// system:anonymous
	// jane
	// unknown bearer token
}

// verified returns the state of a connection whose client has a certificate for a name.
func verified(name string) *tls.ConnectionState {
	certificate := &x509.Certificate{Subject: pkix.Name{CommonName: name}}
	return &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{certificate}},
		PeerCertificates: []*x509.Certificate{certificate}}
}
