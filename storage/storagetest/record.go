package storagetest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Text returns the JSON of a record, for tests that compare records. It panics if the store cannot read the JSON.
func Text(r *storage.Record) []byte {
	text, err := r.JSON(context.Background())
	if err != nil {
		panic(fmt.Errorf("record %v: %w", r.Key, err))
	}
	return text
}

// TextAt returns the JSON of a record with another revision as its resourceVersion. It panics like [Text].
func TextAt(r *storage.Record, revision watch.Revision) []byte {
	text, err := r.AppendAt(context.Background(), nil, revision)
	if err != nil {
		panic(fmt.Errorf("record %v: %w", r.Key, err))
	}
	return text
}

// Holds reports whether a record has the given JSON, regardless of the resourceVersion. It panics like [Text].
func Holds(r *storage.Record, text []byte) bool {
	held, err := r.Holds(context.Background(), text)
	if err != nil {
		panic(fmt.Errorf("record %v: %w", r.Key, err))
	}
	return held
}
