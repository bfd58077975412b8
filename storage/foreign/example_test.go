package foreign_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
)

// invoiceRow is a row of a table that another program writes.
type invoiceRow struct {
	number   int
	customer string
	cents    int64
	paid     bool
	created  time.Time
}

// Invoice is what the API shows of a row.
type Invoice struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Customer string `json:"customer"`
		Cents    int64  `json:"cents"`
		Paid     bool   `json:"paid"`
	} `json:"spec"`
}

// A host serves the rows of a table as objects, read-only. Clients list, select and watch them with kubectl.
func Example() {
	invoices := apimeta.GroupResource{Group: "billing.example.com", Resource: "invoices"}
	rows := []invoiceRow{
		{7, "books", 4200, true, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)},
		{8, "tea", 900, false, time.Date(2026, 11, 9, 9, 0, 0, 0, time.UTC)},
	}
	store, err := foreign.Open(foreign.Options{}, foreign.Source[Invoice]{
		Resource: invoices,
		List: func(context.Context) (all []Invoice, err error) { // SELECT number, customer, cents, paid, created FROM invoices
			for _, row := range rows {
				var i Invoice
				i.Name, i.CreationTimestamp = fmt.Sprint("invoice-", row.number), apimeta.NewTime(row.created)
				i.Labels = map[string]string{"customer": row.customer}
				i.Spec.Customer, i.Spec.Cents, i.Spec.Paid = row.customer, row.cents, row.paid
				all = append(all, i)
			}
			return all, nil
		},
		Every: 2 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	api, err := rest.New(rest.Options{Stores: map[apimeta.GroupResource]storage.Store{invoices: store}},
		rest.Resource[Invoice]{
			Group: "billing.example.com", Version: "v1", Plural: "invoices", Scope: rest.ScopeCluster,
			Columns: []rest.Column{{Name: "Customer", Path: ".spec.customer"},
				{Name: "Paid", Path: ".spec.paid", Type: "boolean"}},
		})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ask := func(method, path, accept string) string {
		r, _ := http.NewRequest(method, "http://host/apis/billing.example.com/v1/invoices"+path, nil)
		r.Header.Set("Accept", accept)
		answer, err := rest.RoundTripper(api).RoundTrip(r)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return fmt.Sprint(answer.StatusCode, " ", string(body))
	}
	table := ask("GET", "?labelSelector=customer%3Dtea", "application/json;as=Table;g=meta.k8s.io;v=v1")
	fmt.Println(strings.Contains(table, `"cells":["invoice-8","tea",false]`), strings.Contains(table, "invoice-7"))
	fmt.Println(ask("DELETE", "/invoice-7", "application/json")[:3])
	// Output:
	// true false
	// 405
}
