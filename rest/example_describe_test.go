package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// A program that documents its kinds reads what they declare, with all defaults.
func ExampleDescribe() {
	descriptions, err := rest.Describe(books())
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range descriptions {
		fmt.Println(d.Resource.Names.Kind, d.Resource.Version, d.GoType)
		for _, sub := range d.Subresources {
			fmt.Println("/" + sub.Name)
		}
	}
	// Output:
	// Book v1 rest_test.Book
	// /status
}

// A function computes the cells of a column that no single field has.
func ExampleColumnFunc() {
	kind := books()
	kind.Columns = []rest.Column{rest.ColumnFunc(rest.Column{Name: "Available"}, func(book *Book) any {
		if book.Status.LentTo != "" {
			return fmt.Sprintf("%d of %d", book.Spec.Copies-1, book.Spec.Copies)
		}
		return "all"
	})}
	api, err := rest.New(rest.Options{}, kind)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	_, err = client.Create(context.Background(),
		&Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma", Copies: 3}})
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.ModifyStatus(context.Background(), "emma", func(book *Book) error {
		book.Status.LentTo = "jane"
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	// This is what kubectl get asks for.
	r := httptest.NewRequest(http.MethodGet, "/apis/library.example.com/v1/books", nil)
	r.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	var table apimeta.Table
	if err := json.Unmarshal(answer.Body.Bytes(), &table); err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Rows[0].Cells...)
	// Output: emma 2 of 3
}
