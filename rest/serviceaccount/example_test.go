package serviceaccount_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"log"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

func Example() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // a real host reads it from where it keeps its secrets
	if err != nil {
		log.Fatal(err)
	}
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com",
		Keys: []serviceaccount.Key{{Signer: key}}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{accounts}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	clients, err := rest.ClientForType[serviceaccount.ServiceAccount](api)
	if err != nil {
		log.Fatal(err)
	}
	clients = clients.Namespace("team-a")
	if _, err := clients.Create(ctx,
		&serviceaccount.ServiceAccount{ObjectMeta: apimeta.ObjectMeta{Name: "builder"}}); err != nil {
		log.Fatal(err)
	}
	request, err := rest.CreateSubresource(ctx, clients, "builder", "token", &serviceaccount.TokenRequest{})
	if err != nil {
		log.Fatal(err)
	}

	list := func() {
		r, err := http.NewRequest("GET", "http://host/api/v1/namespaces/team-a/serviceaccounts", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+request.Status.Token)
		answer, err := rest.RoundTripper(api).RoundTrip(r)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
	list()
	if err := clients.Delete(ctx, "builder", rest.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	list()
	// Output:
	// 200
	// 401
}

// Programs have tokens of service accounts, and people have client certificates.
func ExampleNew() {
	var keys []serviceaccount.Key // such as those of credentials.Keys
	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	if err != nil {
		log.Fatal(err)
	}
	var authorities *x509.CertPool // sign the certificates of people
	var widgets rest.Definition    // a kind of the host

	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com", Keys: keys})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Authenticator: auth.Certificates(authorities),
		Plugins: []rest.Plugin{accounts, roles}}, widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
}
