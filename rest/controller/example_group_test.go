package controller_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/rest/controller"
)

func ExampleGroup() {
	ctx, stop := context.WithCancel(context.Background())
	group := controller.Group{
		func(context.Context) error { fmt.Println("loads the prices once"); stop(); return nil },
		func(ctx context.Context) error { <-ctx.Done(); return nil }, // such as the method Run of a Controller
	}
	if err := group.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: loads the prices once
}
