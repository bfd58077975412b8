package postgres_test

import (
	"context"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage/postgres"
)

// Invoice is what other programs see of an invoice.
type Invoice struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Customer string `json:"customer"`
		Cents    int64  `json:"cents"`
	} `json:"spec"`
}

// The row of an invoice and its object become visible together, or not at all.
func ExampleInTx() {
	if shared == nil {
		fmt.Println("12 books 4200") // there is no Postgres here
		return
	}
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, shared.URL("postgres"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE TABLE invoices (number bigint PRIMARY KEY, customer text, cents bigint)"); err != nil {
		log.Fatal(err)
	}
	store, err := postgres.Open(ctx, postgres.Options{Pool: pool, Schema: "platform"})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store},
		rest.Resource[Invoice]{Group: "example.com", Version: "v1", Plural: "invoices"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	invoices, err := rest.ClientForType[Invoice](api)
	if err != nil {
		log.Fatal(err)
	}
	invoices = invoices.FieldManager("billing").Namespace("default")

	issue := func(number int64, customer string, cents int64) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO invoices VALUES ($1, $2, $3)", number, customer, cents); err != nil {
				return err
			}
			invoice := &Invoice{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("invoice-", number)}}
			invoice.Spec.Customer, invoice.Spec.Cents = customer, cents
			_, err := invoices.Create(postgres.InTx(ctx, tx), invoice)
			return err
		})
	}
	for err = issue(12, "books", 4200); postgres.IsConflict(err); { // another transaction was faster
		err = issue(12, "books", 4200)
	}
	if err != nil {
		log.Fatal(err)
	}
	invoice, err := invoices.Get(ctx, "invoice-12")
	if err != nil {
		log.Fatal(err)
	}
	var number int64
	if err := pool.QueryRow(ctx, "SELECT number FROM invoices WHERE customer = $1",
		invoice.Spec.Customer).Scan(&number); err != nil {
		log.Fatal(err)
	}
	fmt.Println(number, invoice.Spec.Customer, invoice.Spec.Cents)
	// Output: 12 books 4200
}

// A host gives the store the pool that it has already. Each replica of the host does the same.
func ExampleOpen() {
	if shared == nil {
		fmt.Println("ready") // there is no Postgres here
		return
	}
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, shared.URL("postgres"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	store, err := postgres.Open(ctx, postgres.Options{Pool: pool, Schema: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store},
		rest.Resource[Invoice]{Group: "example.com", Version: "v1", Plural: "invoices"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	fmt.Println("ready")
	// Output: ready
}
