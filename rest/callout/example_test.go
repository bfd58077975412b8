package callout_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"github.com/decorum-go/decorum/rest/callout"
)

// The host permits one port of the machine, beside what the client permits by default.
func Example() {
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL)
		_, _ = w.Write([]byte(`{"say":"yes"}`))
	}))
	defer webhook.Close()
	own := webhook.Listener.Addr().String()

	calls, err := callout.New(callout.Options{
		Dial: (&net.Dialer{}).DialContext,
		Allow: func(address netip.AddrPort) error {
			if address.String() == own {
				return nil
			}
			return callout.RefuseLocal(address)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer calls.Close()

	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw})
	var got answer
	err = calls.Post(context.Background(), callout.Target{URL: webhook.URL + "//review", CABundle: certificate},
		question{"may I?"}, &got)
	fmt.Println(got.Say, err)

	err = calls.Post(context.Background(), callout.Target{URL: "https://127.0.0.1:1/review"}, question{"may I?"}, &got)
	fmt.Println(err)
	// Output:
	// POST /review?timeout=30s
	// yes <nil>
	// Post "https://127.0.0.1:1/review?timeout=30s": dial tcp 127.0.0.1:1: refused: loopback address
}
