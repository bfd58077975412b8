package fairness_test

import (
	"fmt"
	"log"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/fairness"
)

// Controllers have a quarter of the seats for themselves, and everybody else shares the others by user.
func Example() {
	controllers := fairness.Level{Name: "controllers", Shares: 1, LendablePercent: 50, Queues: 16, HandSize: 4,
		QueueLength: 50}
	people := fairness.DefaultLevel()
	people.Shares, people.BorrowingPercent = 3, 20
	limiter, err := fairness.New(fairness.Options{
		Seats:  200,
		Levels: []fairness.Level{controllers, people},
		Flows: []fairness.Flow{{Name: "controllers", Level: "controllers", By: fairness.ByUser,
			Groups: []string{"controllers"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{limiter}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	for _, level := range limiter.State().Levels {
		fmt.Println(level.Name, level.NominalSeats, level.LimitSeats)
	}
	// Output:
	// controllers 50 50
	// global-default 150 175
	// exempt 0 0
}
