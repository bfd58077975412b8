package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/decorum-go/decorum/storage/bolt"
)

// readKeys returns the transformer with the keys of a file, or nil without a path.
func readKeys(path string) (bolt.Transformer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var keys []bolt.Key
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		id, secret, _ := strings.Cut(line, " ")
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(secret))
		if err != nil || len(key) == 0 { // the error of base64 could show a part of the secret
			return nil, fmt.Errorf("%s:%d: want the id of a key, a space, and its secret in base64", path, number)
		}
		keys = append(keys, bolt.Key{ID: id, Secret: key})
	}
	if len(keys) == 0 {
		return nil, errors.New(path + " has no keys")
	}
	return bolt.NewAEAD(keys...)
}
