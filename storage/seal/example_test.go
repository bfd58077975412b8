package seal_test

import (
	"crypto/rand"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/storage/seal"
)

// A store encrypts with the first key, and still reads what an older key has encrypted.
func ExampleNewAEAD() {
	older, newer := make([]byte, 32), make([]byte, 32) // a real host reads them from where it keeps its secrets
	rand.Read(older)
	rand.Read(newer)
	before, err := seal.NewAEAD(seal.Key{ID: "2025", Secret: older})
	if err != nil {
		log.Fatal(err)
	}
	after, err := seal.NewAEAD(seal.Key{ID: "2026", Secret: newer}, seal.Key{ID: "2025", Secret: older})
	if err != nil {
		log.Fatal(err)
	}
	place := []byte("widgets.example.com/default/first")
	sealed, err := before.Seal([]byte(`{"kind":"Widget"}`), place)
	if err != nil {
		log.Fatal(err)
	}
	text, err := after.Open(before.KeyID(), sealed, place)
	fmt.Println(string(text), after.KeyID(), err)
	// Output: {"kind":"Widget"} 2026 <nil>
}
