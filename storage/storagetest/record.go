package storagetest

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// assertSame checks that records, or lists of records, are equal. Records that do not hold their texts are compared
// with their texts.
func (s *subject) assertSame(want, got any, message ...any) bool {
	s.Helper()
	return assert.Equal(s, loaded(want), loaded(got), message...)
}

// requireSame is assertSame, and ends the case if they are not equal.
func (s *subject) requireSame(want, got any, message ...any) {
	s.Helper()
	require.Equal(s, loaded(want), loaded(got), message...)
}

// loaded returns a value with records that hold their texts.
func loaded(value any) any {
	switch value := value.(type) {
	case *storage.Record:
		if value == nil {
			return value
		}
		return value.With(Text(value), value.Extracted)
	case []*storage.Record:
		all := make([]any, len(value))
		for i := range value {
			all[i] = loaded(value[i])
		}
		return all
	case storage.Listing:
		return []any{loaded(value.Records), value.Revision, value.More, value.Remaining, value.Changed}
	}
	panic(fmt.Errorf("%T is neither a record nor a list", value))
}
