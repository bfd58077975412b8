package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Account is a bank account.
type Account struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Balance            int `json:"balance"`
}

// A transfer changes both accounts or none. Other transfers may run at the same time.
func ExampleAPI_Transact() {
	api, err := rest.New(rest.Options{}, rest.Resource[Account]{Group: "example.com", Version: "v1", Plural: "accounts"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Account](api)
	if err != nil {
		log.Fatal(err)
	}
	accounts := client.Namespace("default")
	ctx := context.Background()
	for _, name := range []string{"alice", "bob"} {
		account := &Account{ObjectMeta: apimeta.ObjectMeta{Name: name}, Balance: 100}
		if _, err := accounts.Create(ctx, account); err != nil {
			log.Fatal(err)
		}
	}

	change := func(ctx context.Context, name string, by int) error {
		_, err := accounts.Modify(ctx, name, func(a *Account) error {
			if a.Balance += by; a.Balance < 0 {
				return status.BadRequest(name + " has not enough money")
			}
			return nil
		})
		return err
	}
	transfer := func(from, to string, amount int) error {
		return api.Transact(ctx, func(ctx context.Context) error {
			if err := change(ctx, to, amount); err != nil {
				return err
			}
			return change(ctx, from, -amount)
		})
	}
	for _, amount := range []int{30, 90} {
		fmt.Println(transfer("alice", "bob", amount))
		for account, err := range accounts.All(ctx, rest.ListOptions{}) {
			fmt.Println(account.Name, account.Balance, err)
		}
	}
	// Output:
	// <nil>
	// alice 70 <nil>
	// bob 130 <nil>
	// alice has not enough money
	// alice 70 <nil>
	// bob 130 <nil>
}
