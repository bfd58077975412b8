package transaction

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	listBegin = `{"kind":"List","apiVersion":"v1","metadata":{},"items":[`
	listEnd   = "]}\n"
	// versionRoom is how much longer a resourceVersion makes an object, with its comma in the list.
	versionRoom = 32
)

// answer receives the answer to the request of an object. Before it grows, it takes memory for the object here and in
// the list. So a transaction that finds no memory fails before its commit.
type answer struct {
	of     *attempt
	ctx    context.Context
	header http.Header
	code   int
	body   []byte
	err    error // there is no memory
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(code int) {
	if a.code != 0 || code < http.StatusOK {
		return
	}
	a.code = code
	if length, err := strconv.Atoi(a.header.Get("Content-Length")); err == nil && length > 0 {
		a.grow(length)
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if more := len(p) - (cap(a.body) - len(a.body)); more > 0 {
		a.grow(max(more, len(a.body))) // as append does
	}
	if a.err != nil {
		return 0, a.err
	}
	a.body = append(a.body, p...)
	return len(p), nil
}

// grow makes room for more bytes.
func (a *answer) grow(more int) {
	if a.err != nil {
		return
	}
	size := int64(2*more + versionRoom)
	if a.err = a.of.api.TakeMemory(a.ctx, size); a.err == nil {
		a.of.taken += size
		a.body = append(make([]byte, 0, cap(a.body)+more), a.body...)
	}
}

// answer returns the List of what the transaction has stored. The answers to the requests have taken its memory.
func (t *attempt) answer() []byte {
	size := len(listBegin) + len(listEnd)
	for _, s := range t.stored {
		size += len(s.json) + versionRoom
	}
	list := append(make([]byte, 0, size), listBegin...)
	for i, s := range t.stored {
		if i > 0 {
			list = append(list, ',')
		}
		version := cmp.Or(t.committed.ResourceVersion(s.resource, s.namespace, s.name), s.version)
		list = appendAt(list, s.json, version)
	}
	return append(list, listEnd...)
}

// appendAt appends the JSON of an object with another resourceVersion, or without one if that is empty.
func appendAt(dst, object []byte, version string) []byte {
	start, end, found := versionIn(object)
	if !found {
		return append(dst, object...)
	}
	if version != "" {
		return append(strconv.AppendQuote(append(dst, object[:start]...), version), object[end:]...)
	}
	before, after := object[:start-len(`"resourceVersion":`)], object[end:]
	if after[0] == ',' {
		after = after[1:]
	} else {
		before = bytes.TrimSuffix(before, []byte(","))
	}
	return append(append(dst, before...), after...)
}

// versionIn returns where the resourceVersion is in an object, which the API has encoded.
func versionIn(object []byte) (start, end int, found bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(object))
	for _, member := range []string{"metadata", "resourceVersion"} {
		if brace, err := d.ReadToken(); err != nil || brace.Kind() != '{' {
			return 0, 0, false
		}
		for {
			name, err := d.ReadToken()
			if err != nil || name.Kind() != '"' {
				return 0, 0, false
			}
			if name.String() == member {
				break
			}
			if err := d.SkipValue(); err != nil {
				return 0, 0, false
			}
		}
	}
	version, err := d.ReadValue()
	end = int(d.InputOffset())
	return end - len(version), end, err == nil
}
