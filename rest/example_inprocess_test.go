package rest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
)

// Region is a kind without fields of its own.
type Region struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// An http.Client, and so each client library that takes a transport, calls the API without a socket.
func ExampleRoundTripper() {
	api, err := rest.New(rest.Options{}, rest.Resource[Region]{Group: "example.com", Version: "v1", Plural: "regions"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client := http.Client{Transport: rest.RoundTripper(api)}
	answer, err := client.Get("http://any-host/livez")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(body), err)
	// Output: 200 ok <nil>
}

// Middleware that knows the user of a request passes the name on, and the API names the user to hooks and in its log.
func ExampleWithUser() {
	named := admission.Hook{
		Name: "named.example.com",
		Validate: func(_ context.Context, r *admission.Request) error {
			fmt.Println("written by", r.User.Name)
			return nil
		},
	}
	api, err := rest.New(rest.Options{Admission: []admission.Hook{named}},
		rest.Resource[Region]{Group: "example.com", Version: "v1", Plural: "regions"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := access.User{Name: r.Header.Get("X-Session")} // in a real host, of the session
		api.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), user)))
	})
	request := httptest.NewRequest(http.MethodPost, "/apis/example.com/v1/namespaces/default/regions",
		strings.NewReader(`{"apiVersion":"example.com/v1","kind":"Region","metadata":{"name":"north"}}`))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Session", "alice")
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, request)
	fmt.Println(answer.Code)
	// Output:
	// written by alice
	// 201
}
