package oidc_test

import (
	"fmt"
	"log"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/auth/oidc"
)

func ExampleNew() {
	people, err := oidc.New(oidc.Options{
		Issuer:        "https://login.example.com",
		ClientIDs:     []string{"platform"},
		UsernameClaim: "email",
		GroupsClaim:   "groups",
		GroupsPrefix:  "oidc:",
	})
	if err != nil {
		log.Fatal(err)
	}
	tokens := auth.Tokens() // of programs
	api, err := rest.New(rest.Options{Authenticator: access.Authenticators{tokens, people}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	fmt.Println("ready")
	// Output: ready
}
