package credentials_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/rest/credentials"
)

func ExampleOpenTokens() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tokens.yaml")
	text := `
- token: bdVTOYVSRKBHTYKEEQ3BXEAFUM
  user: alice
  groups: [team-a]
  expires: 2101-01-01T00:00:00Z
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	people, err := credentials.OpenTokens(path) // the Authenticator of rest.Options, or one of several
	if err != nil {
		log.Fatal(err)
	}
	identity, err := who(people, "bdVTOYVSRKBHTYKEEQ3BXEAFUM")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(identity.User.Name, identity.User.Groups)
	// Output: alice [team-a]
}

// The program finds its keys again when it restarts. An Issuer verifies with all keys, so tokens of the old key
// remain valid.
func ExampleKeys() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "accounts.pem")
	keys, err := credentials.Keys(path) // for serviceaccount.Options
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(keys), "key")
	if keys, err = credentials.Rotate(path, 1); err != nil { // for Issuer.SetKeys
		log.Fatal(err)
	}
	fmt.Println(len(keys), "keys")
	// Output:
	// 1 key
	// 2 keys
}
