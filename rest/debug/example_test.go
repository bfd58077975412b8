package debug_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/debug"
	"github.com/decorum-go/decorum/rest/rbac"
)

// Administrators see profiles and open watches. Others need a role with nonResourceURLs.
func Example() {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{
		Authenticator: auth.Tokens(
			auth.Token{Secret: "secret-of-root", User: access.User{Name: "root", Groups: []string{"platform-admins"}}},
			auth.Token{Secret: "secret-of-jane", User: access.User{Name: "jane"}},
		),
		Plugins: []rest.Plugin{roles, debug.New(debug.Options{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}

	for _, secret := range []string{"secret-of-root", "secret-of-jane"} {
		r := httptest.NewRequest(http.MethodGet, "/debug/watches", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, r)
		fmt.Println(answer.Code)
	}
	// Output:
	// 200
	// 403
}
