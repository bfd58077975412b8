package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage/postgres"
)

// table is the table that the service had before it had an API.
const table = `CREATE TABLE IF NOT EXISTS invoices (
	number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL, cents bigint NOT NULL, state text NOT NULL DEFAULT 'Due')`

// namespace is where the service keeps the objects.
const namespace = "default"

// billing is the service.
type billing struct {
	pool     *pgxpool.Pool
	invoices rest.Client[Invoice]
}

// issue answers POST /invoices with the number of the new invoice.
func (b *billing) issue(w http.ResponseWriter, r *http.Request) {
	cents, err := strconv.ParseInt(r.FormValue("cents"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	number, err := b.insert(r.Context(), r.FormValue("customer"), cents)
	for postgres.IsConflict(err) { // the transaction has written nothing
		number, err = b.insert(r.Context(), r.FormValue("customer"), cents)
	}
	if err != nil {
		http.Error(w, err.Error(), status.CodeOf(err))
		return
	}
	fmt.Fprintln(w, number)
}

// insert inserts the row and creates the object, or does neither.
func (b *billing) insert(ctx context.Context, customer string, cents int64) (number int64, err error) {
	err = pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, "INSERT INTO invoices (customer, cents) VALUES ($1, $2) RETURNING number", customer, cents)
		if err := row.Scan(&number); err != nil {
			return err
		}
		_, err := b.invoices.Namespace(namespace).Create(postgres.InTx(ctx, tx), &Invoice{
			ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("invoice-", number)},
			Spec:       InvoiceSpec{Number: number, Customer: customer, Cents: cents},
		})
		return err
	})
	return number, err
}

// show answers GET /invoices/NUMBER with the row.
func (b *billing) show(w http.ResponseWriter, r *http.Request) {
	var customer, state string
	var cents int64
	err := b.pool.QueryRow(r.Context(), "SELECT customer, cents, state FROM invoices WHERE number::text = $1",
		r.PathValue("number")).
		Scan(&customer, &cents, &state)
	if errors.Is(err, pgx.ErrNoRows) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, customer, cents, state)
}

// run brings what people want into the table until ctx ends.
func (b *billing) run(ctx context.Context) error {
	informer := controller.NewInformer(b.invoices, controller.InformerOptions[Invoice]{})
	return controller.New(b.reconcile, controller.Options{}, controller.For(informer)).Run(ctx)
}

// reconcile makes the row of one invoice match its object, and records that in the status in the same transaction.
func (b *billing) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	invoices := b.invoices.Namespace(key.Namespace)
	invoice, err := invoices.Get(ctx, key.Name)
	if status.IsNotFound(err) {
		return controller.Result{}, nil
	}
	if err != nil || invoice.Status.ObservedGeneration == invoice.Generation {
		return controller.Result{}, err
	}
	invoice.Status = InvoiceStatus{ObservedGeneration: invoice.Generation, State: invoice.Spec.State}
	err = pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE invoices SET state = $2 WHERE number = $1", invoice.Spec.Number,
			invoice.Spec.State); err != nil {
			return err
		}
		_, err := invoices.UpdateStatus(postgres.InTx(ctx, tx), invoice)
		return err
	})
	return controller.Result{}, err
}
