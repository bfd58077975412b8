package transaction_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/transaction"
)

// A client moves money from one account to another: both change, or neither does.
func Example() {
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{transaction.New()}},
		rest.Resource[Account]{Group: "example.com", Version: "v1", Plural: "accounts"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	send := func(alice, bob int) {
		body := fmt.Sprintf(`
apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: Account, metadata: {name: alice}, balance: %d}
- {apiVersion: example.com/v1, kind: Account, metadata: {name: bob}, balance: %d}
`, alice, bob)
		r, _ := http.NewRequest(http.MethodPost, "http://host"+transaction.Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/yaml")
		answer, err := rest.RoundTripper(api).RoundTrip(r)
		if err != nil {
			log.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		_, message, _ := strings.Cut(string(text), `"message":"`)
		message, _, _ = strings.Cut(message, ": ")
		fmt.Printf("%d %q\n", answer.StatusCode, message)
	}
	send(30, 10)
	send(-5, 45)
	// Output:
	// 200 ""
	// 422 "1 of 2 objects were refused, and nothing was stored"
}
