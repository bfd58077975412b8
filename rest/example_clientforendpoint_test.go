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

// reserve takes a copy of a book off the shelf. It works with clients in process and over HTTP.
func reserve(ctx context.Context, books rest.Client[Book], name string) (left int32, err error) {
	book, err := books.Modify(ctx, name, func(b *Book) error {
		b.Spec.Copies--
		return nil
	})
	if err != nil {
		return 0, err
	}
	return book.Spec.Copies, nil
}

// A program in another process uses the same typed client over HTTP. It needs the Go type, the names of the resource
// and the address of the server, but no Kubernetes module.
func ExampleClientForEndpoint() {
	api, err := rest.New(rest.Options{}, books()) // this part runs in another process
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	host := httptest.NewServer(http.StripPrefix("/library", api))
	defer host.Close()

	server := rest.Endpoint{URL: host.URL + "/library", HTTP: host.Client()}
	client, err := rest.ClientForEndpoint(server,
		rest.Resource[Book]{Group: "library.example.com", Version: "v1", Plural: "books"})
	if err != nil {
		log.Fatal(err)
	}
	client = client.
		Namespace("default").FieldManager("reservations")

	ctx := context.Background()
	_, err = client.Create(ctx, &Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"},
		Spec: BookSpec{Title: "Emma", Copies: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reserve(ctx, client, "emma"))
	fmt.Println(reserve(ctx, client, "emma")) // the client sends copies: 0, although Go omits it from the JSON
	_, err = client.Get(ctx, "persuasion")
	fmt.Println(status.IsNotFound(err), err)
	// Output:
	// 1 <nil>
	// 0 Book.library.example.com "emma" is invalid: spec.copies: Invalid value: 0: spec.copies in body should be greater than or equal to 1
	// true books.library.example.com "persuasion" not found
}
