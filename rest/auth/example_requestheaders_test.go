package auth_test

import (
	"crypto/x509"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
)

// A proxy tells who its users are. Other clients present certificates or tokens of their own, and are nobody else.
func ExampleRequestHeaders() {
	var tokens []auth.Token
	var authorities, proxyAuthorities *x509.CertPool = ofUsers().pool, ofProxies().pool // ClientCAs contains both

	proxies, err := auth.RequestHeaders(auth.RequestHeaderOptions{
		Authorities:     proxyAuthorities,
		UserAuthorities: authorities,
		Names:           []string{"front-proxy"},
	})
	if err != nil {
		log.Fatal(err)
	}
	users := access.Authenticators{proxies, auth.Certificates(authorities), auth.Tokens(tokens...)}
	for _, certificate := range []chain{ofProxies().sign("front-proxy"), ofUsers().sign("mallory")} {
		r := httptest.NewRequest(http.MethodGet, "/apis", nil)
		r.Header.Set("X-Remote-User", "jane")
		who, err := users.Authenticate(certificate.present(r, true))
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
	users := auth.OrAnonymous(auth.Tokens(auth.Token{Secret: "0123456789abcdef", User: access.User{Name: "jane"}}))
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
