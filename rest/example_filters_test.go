package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// Each member of the library sees the books on one shelf. The other books do not exist for them.
func ExampleFilter() {
	shelves := map[string]string{"ada": "shelf=maths", "virginia": "shelf in (novels,essays)"}
	byShelf := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		books, err := apimeta.ParseLabelSelector(shelves[a.User.Name])
		if err != nil || books.Empty() {
			return access.NoOpinion("not a member"), err
		}
		return access.AllowOnly("", access.Filter{Labels: books}), nil
	})
	api, err := rest.New(rest.Options{Authorizer: byShelf}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	ctx := context.Background()
	all, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	all = all.Namespace("default")
	for title, shelf := range map[string]string{"orlando": "novels", "notes": "maths"} {
		book := &Book{ObjectMeta: apimeta.ObjectMeta{Name: title, Labels: map[string]string{"shelf": shelf}},
			Spec: BookSpec{Title: title}}
		if _, err := all.Create(ctx, book); err != nil {
			log.Fatal(err)
		}
	}

	visible := all.AsUser(access.User{Name: "ada"})
	page, err := visible.List(ctx, rest.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, book := range page.Items {
		fmt.Println(book.Name)
	}
	_, err = visible.Get(ctx, "orlando")
	fmt.Println(err)
	// Output:
	// notes
	// books.library.example.com "orlando" not found
}
