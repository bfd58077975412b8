package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Invoice is paid by an action, and counts reminders by scaling.
type Invoice struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   InvoiceSpec   `json:"spec"`
	Status InvoiceStatus `json:"status,omitzero"`
}

type InvoiceSpec struct {
	Cents  int64 `json:"cents" api:"min=1"`
	Copies int32 `json:"copies" api:"default=1,min=0,max=10"`
}

type InvoiceStatus struct {
	Payment string `json:"payment,omitempty" api:"enum=Pending|Paid|Refused"`
	Printed int32  `json:"printed"`
}

// Payment is the body and the answer of the action.
type Payment struct {
	apimeta.TypeMeta `json:",inline"`

	Card    string `json:"card"`
	Receipt string `json:"receipt,omitempty"`
}

// Bank is a service outside of the API. A charge with a key that it has seen before is not a second charge.
type Bank interface {
	Charge(ctx context.Context, key, card string, cents int64) (receipt string, err error)
}

func pay(bank Bank) rest.Subresource[Invoice, Payment] {
	return rest.Subresource[Invoice, Payment]{
		Name: "pay",
		Claim: func(_ context.Context, in *Invoice, _ *Payment) error {
			if in.Status.Payment == "Pending" || in.Status.Payment == "Paid" {
				invoices := apimeta.GroupResource{Group: "billing.example.com", Resource: "invoices"}
				return status.Conflict(invoices, in.Name, "the payment is "+in.Status.Payment)
			}
			in.Status.Payment = "Pending"
			return nil
		},
		Create: func(ctx context.Context, in *Invoice, p *Payment) (*Payment, error) {
			receipt, err := bank.Charge(ctx, in.UID, p.Card, in.Spec.Cents)
			return &Payment{Card: p.Card, Receipt: receipt}, err
		},
		Settle: func(_ context.Context, in *Invoice, _ *Payment, failure error) error {
			in.Status.Payment = "Paid"
			if failure != nil {
				in.Status.Payment = "Refused"
			}
			return nil
		},
	}
}

func invoices(bank Bank) rest.Resource[Invoice] {
	return rest.Resource[Invoice]{
		Group: "billing.example.com", Version: "v1", Plural: "invoices",
		SelectableFields: []string{"status.payment"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.copies", StatusReplicas: ".status.printed"},
		Subresources:     []rest.SubresourceOf[Invoice]{pay(bank)},
	}
}

// Tariff is a singleton: the only object is called "current".
type Tariff struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec TariffSpec `json:"spec"`
}

type TariffSpec struct {
	Cents int64 `json:"cents" api:"default=100,min=1"`
}

func tariffs() rest.Resource[Tariff] {
	return rest.Resource[Tariff]{
		Group: "billing.example.com", Version: "v1", Plural: "tariffs", Scope: rest.ScopeCluster, Singleton: "current",
	}
}

type countingBank struct{ charges int }

func (b *countingBank) Charge(context.Context, string, string, int64) (string, error) {
	b.charges++
	return fmt.Sprint("receipt ", b.charges), nil
}

// The action pay charges once, however often a client asks for it.
func Example_action() {
	bank := &countingBank{}
	api, err := rest.New(rest.Options{}, invoices(bank), tariffs())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	ctx := context.Background()
	client, err := rest.ClientForType[Invoice](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	if _, err := client.Create(ctx,
		&Invoice{ObjectMeta: apimeta.ObjectMeta{Name: "n1"}, Spec: InvoiceSpec{Cents: 500, Copies: 1}}); err != nil {
		log.Fatal(err)
	}

	paid, err := rest.CreateSubresource(ctx, client, "n1", "pay", &Payment{Card: "4711"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paid.Receipt)
	_, err = rest.CreateSubresource(ctx, client, "n1", "pay", &Payment{Card: "4711"})
	fmt.Println(status.IsConflict(err), bank.charges)

	// This is what kubectl create --raw sends.
	body := strings.NewReader(`{"apiVersion":"billing.example.com/v1","kind":"Payment","card":"4711"}`)
	request := httptest.NewRequest("POST", "/apis/billing.example.com/v1/namespaces/default/invoices/n1/pay?dryRun=All",
		body)
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	fmt.Println(answer.Code)
	// Output:
	// receipt 1
	// true 1
	// 409
}
