package patch

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Document is one immutable JSON value, with integers of any size. [ParseDocument] reads it and [AppendJSON] writes it.
// Goroutines may share it.
type Document = doc.Value

// ParseDocument reads a document from JSON. If a name is duplicate, the last member counts. ParseDocument returns 400
// BadRequest, with a message that says why, for data that is not JSON or is nested deeper than 10,000 levels.
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
