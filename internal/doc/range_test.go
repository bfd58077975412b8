package doc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/doc"
)

func TestAllInRange(t *testing.T) {
	huge := doc.OfNumber("1e999")
	for name, v := range map[string]doc.Value{
		"number": huge, "many digits": doc.OfNumber(strings.Repeat("9", 400)), "in a list": doc.ListOf(doc.Of("x"), huge),
		"in a map": doc.MapOf(doc.Member{Key: "a", Value: doc.OfBool(true)},
			doc.Member{Key: "b", Value: doc.ListOf(doc.MapOf(doc.Member{Key: "c", Value: huge}))}),
	} {
		assert.False(t, doc.AllInRange(v), name)
	}
	assert.True(t, doc.AllInRange(doc.MapOf(doc.Member{Key: "1e999", Value: doc.Of("1e999")},
		doc.Member{Key: "b", Value: doc.ListOf(doc.OfNumber("1e308"), doc.NullValue(), doc.ListOf(), doc.MapOf())})))
}
