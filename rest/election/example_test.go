package election_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
)

// A controller runs in one of several replicas. In place of the function, a host passes the method Run of a
// controller.Controller.
func Example() {
	api, err := rest.New(rest.Options{}, builtin.Leases())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	leases, err := rest.ClientForType[builtin.Lease](api)
	if err != nil {
		log.Fatal(err)
	}
	leases = leases.Namespace("default")
	ctx, stop := context.WithCancel(context.Background())
	err = election.Run(ctx, election.Options{Client: leases, Name: "size-controller", Identity: "replica-1"},
		func(ctx context.Context) error {
			lease, err := leases.Get(ctx, "size-controller")
			if err != nil {
				return err
			}
			fmt.Println("the leader is", *lease.Spec.HolderIdentity)
			stop()
			<-ctx.Done()
			return nil
		})
	fmt.Println(err)
	// Output:
	// the leader is replica-1
	// <nil>
}
