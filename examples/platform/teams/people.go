package main

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
)

// people are the people whom the platform knows, with their tokens.
type people []auth.Token

// newPeople returns an administrator and a member of each team. Each gets a new random token.
func newPeople() people {
	return people{
		{Secret: rand.Text(), User: rest.User{Name: "root", Groups: []string{"platform-admins"}}},
		{Secret: rand.Text(), User: rest.User{Name: "alice", Groups: []string{"team-a"}}},
		{Secret: rand.Text(), User: rest.User{Name: "bob", Groups: []string{"team-b"}}},
	}
}

// writeFiles writes a kubeconfig file for each person. It is JSON, which is YAML too.
func (p people) writeFiles(dir, url string, certificate tls.Certificate) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	for _, person := range p {
		namespace := "default"
		if person.User.Name != "root" {
			namespace = person.User.Groups[0]
		}
		text, err := json.MarshalIndent(map[string]any{
			"apiVersion": "v1", "kind": "Config", "current-context": "platform",
			"clusters": []any{map[string]any{"name": "platform", "cluster": map[string]any{"server": url, "certificate-authority-data": authority}}},
			"users":    []any{map[string]any{"name": person.User.Name, "user": map[string]any{"token": person.Secret}}},
			"contexts": []any{map[string]any{"name": "platform", "context": map[string]any{"cluster": "platform", "user": person.User.Name, "namespace": namespace}}},
		}, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, person.User.Name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
