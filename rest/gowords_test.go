package rest_test

import (
	"encoding/json"
	"regexp"
)

// structField is where encoding/json says which field has a wrong value. Its words change between releases of Go; clients
// know those of 1.26.
var structField = regexp.MustCompile(`Go struct field \S+ of type [^\s"\\]+`)

var wordsOf126 = func() bool {
	type Inner struct {
		N int `json:"n"`
	}
	type Outer struct {
		Inner Inner `json:"inner"`
	}
	err := json.Unmarshal([]byte(`{"inner":{"n":"x"}}`), new(Outer))
	return err.Error() == "json: cannot unmarshal string into Go struct field Inner.inner.n of type int"
}()

// inGoWords is a text as it can be compared with the answer of a server that another release of Go has built.
func inGoWords(text string) string {
	if wordsOf126 {
		return text
	}
	return structField.ReplaceAllString(text, "Go struct field")
}
