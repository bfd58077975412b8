package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// One function decides what users may do. The middleware calls it for each request, and the reviews call it for kubectl
// auth can-i.
func ExampleAPI_AccessOf() {
	visitorsRead := func(_ context.Context, a rest.Access) (allowed bool, reason string, err error) {
		switch a.Verb {
		case "get", "list", "watch":
			return true, "", nil
		}
		return a.User.Name != "visitor" || a.Group == "authorization.k8s.io", "visitors only read", nil
	}
	api, err := rest.New(rest.Options{}, append(rest.Reviews(visitorsRead), books())...)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	authorized := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := api.AccessOf(r)
		allowed, reason, err := visitorsRead(r.Context(), a)
		if err == nil && !allowed {
			err = status.Forbidden(apimeta.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name, reason)
		}
		if err != nil {
			api.Error(w, r, err)
			return
		}
		api.ServeHTTP(w, r)
	})
	server := httptest.NewServer(http.StripPrefix("/library", authenticated(authorized)))
	defer server.Close()

	for _, method := range []string{"GET", "DELETE"} {
		r, err := http.NewRequest(method, server.URL+"/library/apis/library.example.com/v1/namespaces/default/books", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.SetBasicAuth("visitor", "secret")
		answer, err := server.Client().Do(r)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Println(method, answer.Status)
	}
	// Output:
	// GET 200 OK
	// DELETE 403 Forbidden
}

// authenticated stands for the host's authentication.
func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := r.BasicAuth()
		next.ServeHTTP(w, r.WithContext(rest.WithUser(r.Context(), rest.User{Name: name})))
	})
}
