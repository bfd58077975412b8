package rest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// One function finds out the user, and another decides what users may do. kubectl auth can-i asks the same function.
func ExampleAuthorizer() {
	withPassword := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		name, password, ok := r.BasicAuth()
		if !ok {
			return nil, nil
		}
		if password != "secret" {
			return nil, errors.New("wrong password")
		}
		return &access.Identity{User: access.User{Name: name}}, nil
	})
	visitorsRead := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		switch {
		case a.Verb == "get", a.Verb == "list", a.Verb == "watch", a.User.Name != "visitor":
			return access.Allow(""), nil
		}
		return access.NoOpinion("visitors only read"), nil
	})
	api, err := rest.New(rest.Options{Authenticator: withPassword, Authorizer: visitorsRead}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	server := httptest.NewServer(http.StripPrefix("/library", api))
	defer server.Close()

	for _, try := range []struct{ method, password string }{{"GET", "guess"}, {"GET", "secret"}, {"DELETE", "secret"}} {
		r, err := http.NewRequest(try.method, server.URL+"/library/apis/library.example.com/v1/namespaces/default/books", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.SetBasicAuth("visitor", try.password)
		answer, err := server.Client().Do(r)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Println(try.method, answer.Status)
	}
	// Output:
	// GET 401 Unauthorized
	// GET 200 OK
	// DELETE 403 Forbidden
}
