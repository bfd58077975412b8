package main

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/pem"
	"path/filepath"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// people are the people whom the platform knows, with their tokens.
type people []auth.Token

// newPeople returns an administrator and a member of each team. Each gets a new random token.
func newPeople() people {
	return people{
		{Secret: rand.Text(), User: access.User{Name: "root", Groups: []string{"platform-admins"}}},
		{Secret: rand.Text(), User: access.User{Name: "alice", Groups: []string{"team-a"}}},
		{Secret: rand.Text(), User: access.User{Name: "bob", Groups: []string{"team-b"}}},
	}
}

// writeFiles writes a kubeconfig file for each person.
func (p people) writeFiles(dir, url string, certificate tls.Certificate) error {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	for _, person := range p {
		namespace := "default"
		if person.User.Name != "root" {
			namespace = person.User.Groups[0]
		}
		err := kubeconfig.Write(filepath.Join(dir, person.User.Name), kubeconfig.Entry{
			Name: "platform", Server: url, CertificateAuthority: authority,
			User: person.User.Name, Token: person.Secret, Namespace: namespace,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
