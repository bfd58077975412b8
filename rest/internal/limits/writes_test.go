//go:build unix

package limits_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// bareWrite is a handler that reads a body, decodes the object strictly, finishes with what it has decoded, and sends the
// same bytes to everybody.
func bareWrite(object, answer []byte, finish func(*apitest.Thing) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		var thing apitest.Thing
		if err == nil {
			err = jsonv2.Unmarshal(object, &thing, jsonv2.RejectUnknownMembers(true))
		}
		if err == nil {
			err = finish(&thing)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", apitest.TypeJSON)
		h.Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})
}

func encode(thing *apitest.Thing) error {
	_, err := jsonv2.Marshal(thing)
	return err
}

const (
	typeMerge = "application/merge-patch+json"
	typeApply = "application/apply-patch+yaml"
)

// writes are writes that change an object. Each has a number of its own.
var writes = []struct{ name, method, target, media, body string }{
	{"create", "POST", apitest.Things, apitest.TypeJSON, string(apitest.PaddedThing("m"+counted, apitest.BenchObject))},
	{"merge patch", "PATCH", changed, typeMerge, `{"spec":{"data":{"key001":"` + counted + `"}}}`},
	{"apply", "PATCH", changed + "?fieldManager=m&force=true", typeApply, apitest.ThingBody("n000000", `{"data":{"key001":"`+counted+`"}}`)},
}

// Limit: a bare handler that reads and writes as many bytes, decodes the object strictly once, and encodes it once.
func BenchmarkWrite(b *testing.B) {
	for _, c := range writes {
		b.Run(c.name, func(b *testing.B) {
			s := apitest.NewThingServer(b, rest.Options{})
			s.Fill(b, 1)
			answer := s.Do(c.method, c.target, c.body, "Content-Type", c.media)
			require.Equal(b, 2, answer.Code/100, answer.Body)
			object := []byte(answer.Body)
			if c.method == "POST" {
				object = []byte(c.body)
			}
			api, bare := serve(b, s.API), serve(b, bareWrite(object, []byte(answer.Body), encode))
			clients := startClients(b)
			ours := clients.writer(api, c.method, c.target, c.media, c.body, 8)
			limit := clients.writer(bare, c.method, c.target, c.media, c.body, 8)
			apitest.Compare(b, 1000, ours.send, limit.send)
			b.ReportMetric(1.5, "aim")
		})
	}
}

// Limit: a bare handler that reads and writes as many bytes, decodes the object strictly, and compares the bytes.
func BenchmarkWriteThatChangesNothing(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 1)
	object := s.Do("GET", changed, "").Body
	stored := []byte(object)
	compare := func(*apitest.Thing) error {
		if !bytes.Equal(stored, []byte(object)) {
			return fmt.Errorf("the object has changed")
		}
		return nil
	}
	before := s.Store.Revision()
	api, bare := serve(b, s.API), serve(b, bareWrite(stored, stored, compare))
	clients := startClients(b)
	ours := clients.writer(api, "PUT", changed, apitest.TypeJSON, object, 8)
	limit := clients.writer(bare, "PUT", changed, apitest.TypeJSON, object, 8)
	apitest.Compare(b, 1000, ours.send, limit.send)
	b.ReportMetric(1.2, "aim")
	require.Equal(b, before, s.Store.Revision())
}
