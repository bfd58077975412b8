package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// A hook warns about a write that it permits. kubectl prints the warning, and a typed client receives it through
// WithWarnings.
func ExampleWarn() {
	kind := books()
	kind.Hooks.Validate = func(ctx context.Context, book, _ *Book) (status.FieldErrors, error) {
		if book.Spec.Shelf == "old" {
			rest.Warn(ctx, "spec.shelf: the old shelf is in the cellar")
		}
		return nil, nil
	}
	api, err := rest.New(rest.Options{}, kind)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}

	ctx := rest.WithWarnings(context.Background(), func(text string) { fmt.Println("warning:", text) })
	_, err = client.Namespace("default").Create(ctx, &Book{
		ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma", Shelf: "old"},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: warning: spec.shelf: the old shelf is in the cellar
}

// A hook reads other objects of the API, and learns who writes and which namespace the request names.
func ExampleClientForHook() {
	kind := books()
	kind.Hooks.Validate = func(ctx context.Context, book, _ *Book) (errs status.FieldErrors, err error) {
		books, err := rest.ClientForHook[Book](ctx)
		if err != nil {
			return nil, err
		}
		asked := access.AccessFrom(ctx)
		list, err := books.Namespace(asked.Namespace).List(ctx, rest.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, other := range list.Items {
			if other.Name != book.Name && other.Spec.Title == book.Spec.Title {
				message := fmt.Sprintf("%s has it already; %s may add a copy", other.Name, asked.User.Name)
				errs = append(errs, status.InvalidField(status.NewPath("spec", "title"), book.Spec.Title, message))
			}
		}
		return errs, nil
	}
	api, err := rest.New(rest.Options{}, kind)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}

	ctx := access.WithUser(context.Background(), access.User{Name: "jane"})
	for _, name := range []string{"emma", "emma-again"} {
		_, err := client.Namespace("default").Create(ctx,
			&Book{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: BookSpec{Title: "Emma"}})
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// Book.library.example.com "emma-again" is invalid: spec.title: Invalid value: "Emma": emma has it already; jane may add a copy
}

// Middleware of the host learns what a request asks for, and who sends it, as the API itself reads it.
func ExampleAPI_AccessOf() {
	api, err := rest.New(rest.Options{}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	logged := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := api.AccessOf(r)
		fmt.Println(asked.User.Name, asked.Verb, asked.Resource, asked.Namespace, asked.Name)
		api.ServeHTTP(w, r)
	})

	r := httptest.NewRequest(http.MethodGet, "/apis/library.example.com/v1/namespaces/default/books/emma", nil)
	r = r.WithContext(access.WithUser(r.Context(), access.User{Name: "jane"})) // an authenticator of the host's own
	logged.ServeHTTP(httptest.NewRecorder(), r)
	// Output: jane get books default emma
}
