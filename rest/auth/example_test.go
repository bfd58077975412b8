package auth_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/rbac"
)

// Widget is a kind of the host.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// A server over TLS knows its users by tokens or client certificates, and gives them rights by roles.
func Example() {
	var (
		tokens      []auth.Token      // the host keeps them with its secrets
		authorities *x509.CertPool    // sign the certificates of clients
		definitions []rest.Definition // the kinds of the host
	)
	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	if err != nil {
		log.Fatal(err)
	}

	users := access.Authenticators{auth.Certificates(authorities), auth.Tokens(tokens...)}
	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles}}, definitions...)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}

	mux := http.NewServeMux()
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	server := &http.Server{
		Addr:              ":6443",
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig:         &tls.Config{ClientCAs: authorities, ClientAuth: tls.VerifyClientCertIfGiven},
	}
	log.Fatal(server.ListenAndServeTLS("server.crt", "server.key"))
}

// A request without the token of a user gets 401.
func ExampleTokens() {
	api, err := rest.New(rest.Options{Authenticator: auth.Tokens(auth.Token{Secret: "0123456789abcdef",
		User: access.User{Name: "alice"}})})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	for _, token := range []string{"0123456789abcdef", "guess"} {
		request := httptest.NewRequest(http.MethodGet, "/apis", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// 200
	// 401
}

// With reviews, whoever may create a SubjectAccessReview learns what others may do.
func ExampleReviews() {
	ctx := context.Background()
	var tokens []auth.Token
	var authorities *x509.CertPool
	var widgets rest.Definition = rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"}

	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{
		Authenticator: access.Authenticators{auth.Certificates(authorities), auth.Tokens(tokens...)},
		Plugins:       []rest.Plugin{roles, auth.Reviews()},
		Health:        rest.Health{Open: true},
	}, widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	err = api.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/livez", nil))
	fmt.Println(answer.Code)
	// Output: 200
}
