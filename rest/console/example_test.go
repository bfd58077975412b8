package console_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/rest/console"
)

// A host serves the console beside its API. CrossOriginProtection refuses requests that change something and come from
// pages of other origins, which matters where the browser sends credentials by itself, such as a cookie.
func ExampleNew() {
	api := http.NotFoundHandler() // rest.New returns the API of a real host
	mux := http.NewServeMux()
	mux.Handle("/platform/", http.NewCrossOriginProtection().Handler(http.StripPrefix("/platform", api)))
	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))

	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/console/", nil))
	fmt.Println(page.Code, page.Header().Get("Content-Security-Policy"))

	foreign := httptest.NewRequest(http.MethodPost, "/platform/api/v1/namespaces", nil)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, foreign)
	fmt.Println(answer.Code)
	// Output:
	// 200 default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
	// 403
}

// People sign in at an issuer of OpenID Connect, to which the page may then connect.
func ExampleNewIssuer() {
	mux := http.NewServeMux()

	issuer, err := console.NewIssuer(console.IssuerOptions{URL: "https://login.example.com", ClientID: "platform",
		Scopes: []string{"email", "groups"}})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("/console/", console.New(console.Options{API: "/platform", Issuer: issuer}))

	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/console/", nil))
	fmt.Println(page.Code, strings.Contains(page.Header().Get("Content-Security-Policy"), "https://login.example.com"))
	// Output: 200 true
}
