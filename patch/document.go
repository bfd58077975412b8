package patch

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Document is one immutable JSON value, with integers of any size. It is made by [ParseDocument], written by
// [AppendJSON], and safe to share between goroutines.
type Document = doc.Value

// ParseDocument reads a document from JSON. Of several members with one name the last counts. What is no JSON text, or is
// nested deeper than 10,000 levels, is a 400 BadRequest whose message says why.
func ParseDocument(data []byte) (Document, error) {
	d, _, err := codec.DecodeJSON(data)
	if err != nil {
		return Document{}, status.BadRequest(err.Error()).WithCause(err)
	}
	return d, nil
}

// AppendJSON appends the JSON text of a document to dst. Members are sorted by name, and there is no space between the
// tokens, so that equal documents have equal texts unless a number is written in two ways.
func AppendJSON(dst []byte, d Document) []byte { return codec.AppendJSON(dst, d) }
