//go:build unix

package limits_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// bareWrite is a handler that reads a body, decodes the object strictly, passes it to finish, and sends the same bytes
// to every client.
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

// writers is how many connections write. Each has an object of its own.
const writers = 8

// ownObject is the path of the object of a connection.
const ownObject = apitest.Things + "/" + apitest.Own

// writes are writes that change an object. Each has a number of its own.
var writes = []struct{ name, method, target, media, body string }{
	{"create", "POST", apitest.Things, apitest.TypeJSON,
		string(apitest.PaddedThing("m"+apitest.Counted, apitest.BenchObject))},
	{"PUT", "PUT", ownObject, apitest.TypeJSON, ""},
	{"merge patch", "PATCH", ownObject, typeMerge, `{"spec":{"data":{"key001":"` + apitest.Counted + `"}}}`},
	{"apply", "PATCH", ownObject + "?fieldManager=m&force=true", typeApply,
		apitest.ThingBody(apitest.Own, `{"data":{"key001":"`+apitest.Counted+`"}}`)},
}

// Limit: a bare handler that reads and writes as many bytes, decodes the object strictly once, and encodes it once.
func BenchmarkWrite(b *testing.B) { compareWrites(b, 1.5, apitest.ThingResource(), encode) }

// Limit: the same handler, which also runs the hooks.
func BenchmarkWriteWithHooks(b *testing.B) {
	hooked := apitest.ThingResource()
	hooked.Hooks.Default = func(_ context.Context, thing *apitest.Thing) error {
		complete(thing)
		return nil
	}
	hooked.Hooks.Validate = func(_ context.Context, thing, old *apitest.Thing) (status.FieldErrors, error) {
		return check(thing, old), nil
	}
	old := new(apitest.Thing)
	compareWrites(b, 1.8, hooked, func(thing *apitest.Thing) error {
		complete(thing)
		if errs := check(thing, old); len(errs) > 0 {
			return errs
		}
		return encode(thing)
	})
}

// complete is a hook that sets a field that the client has left out.
func complete(thing *apitest.Thing) {
	if thing.Spec.Text == "" {
		thing.Spec.Text = "Thing " + thing.Name
	}
}

// check is a hook that looks at both objects.
func check(thing, old *apitest.Thing) (errs status.FieldErrors) {
	for key, value := range thing.Spec.Data {
		if len(value) > 1000 {
			errs = append(errs, status.InvalidField(status.NewPath("spec", "data", key), value, "must have at most 1000 bytes"))
		}
	}
	if old != nil && old.Spec.Color != "" && thing.Spec.Color != old.Spec.Color {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "color"), thing.Spec.Color, "must not change"))
	}
	return errs
}

// compareWrites compares writes of a resource with a bare handler that passes the decoded object to finish.
func compareWrites(b *testing.B, aim float64, of rest.Resource[apitest.Thing], finish func(*apitest.Thing) error) {
	for _, c := range writes {
		b.Run(c.name, func(b *testing.B) {
			s := apitest.NewThingServer(b, rest.Options{}, of)
			s.Fill(b, writers)
			if c.method == "PUT" {
				c.body = changedObject(s)
			}
			first := func(text string) string {
				return strings.NewReplacer(apitest.Own, apitest.OwnName(0), apitest.LastVersion, version(s)).Replace(text)
			}
			answer := s.Do(c.method, first(c.target), first(c.body), "Content-Type", c.media)
			require.Equal(b, 2, answer.Code/100, answer.Body)
			object := []byte(answer.Body)
			if c.method == "POST" {
				object = []byte(c.body)
			}
			api, bare := serve(b, s.API), serve(b, bareWrite(object, []byte(answer.Body), finish))
			clients := apitest.StartClients(b)
			ours := clients.Writer(api, c.method, c.target, c.media, c.body, writers)
			limit := clients.Writer(bare, c.method, c.target, c.media, c.body, writers)
			apitest.Compare(b, 1000, ours.Send, limit.Send)
			b.ReportMetric(aim, "aim")
			apitest.LogStages(b, 10_000, ours.Send)
		})
	}
}

// Limit: the merge patch that does the same, to a resource that tracks no owners. Two managers take a field from each
// other.
func BenchmarkWriteThatMovesOwnership(b *testing.B) {
	untracked := apitest.ThingResource()
	untracked.Wire.Untracked = true
	s, plain := apitest.NewThingServer(b, rest.Options{}), apitest.NewThingServer(b, rest.Options{}, untracked)
	s.Fill(b, writers)
	plain.Fill(b, writers)
	body := apitest.ThingBody(apitest.Own, `{"data":{"key001":"`+apitest.Counted+`"}}`)
	target := ownObject + "?fieldManager=" + apitest.InTurns
	api, limit := serve(b, s.API), serve(b, plain.API)
	clients := apitest.StartClients(b)
	ours := clients.Writer(api, "PATCH", target+"&force=true", typeApply, body, writers)
	its := clients.Writer(limit, "PATCH", target, typeMerge, body, writers)
	apitest.Compare(b, 1000, ours.Send, its.Send)
	b.ReportMetric(1.4, "aim")
	applied := s.Do("GET", changed, "").Body
	require.Regexp(b, `"manager":"manager-[01]","operation":"Apply"`, applied)
	require.NotRegexp(b, `manager-0.*manager-1|manager-1.*manager-0`, applied, "the field has one owner")
}

// uid finds the uid of an object in its JSON.
var uid = regexp.MustCompile(`,"uid":"[^"]*"`)

// resourceVersion finds the resourceVersion of an object in its JSON.
var resourceVersion = regexp.MustCompile(`"resourceVersion":"([0-9]+)"`)

// changedObject returns an object as a client sends it that has read it and changed a value.
func changedObject(s *apitest.ThingServer) string {
	text := uid.ReplaceAllString(s.Do("GET", changed, "").Body, "")
	text = resourceVersion.ReplaceAllString(text, `"resourceVersion":"`+apitest.LastVersion+`"`)
	return strings.NewReplacer(`"`+apitest.OwnName(0)+`"`, `"`+apitest.Own+`"`, "a value of some length that is 001",
		"a value of some length "+apitest.Counted).Replace(text)
}

// version returns the resourceVersion of the object that changes.
func version(s *apitest.ThingServer) string {
	return resourceVersion.FindStringSubmatch(s.Do("GET", changed, "").Body)[1]
}

// Limit: a bare handler that reads and writes as many bytes, decodes the object strictly, and compares the bytes. The
// client sends the text that it has read, or the same object in another form.
func BenchmarkWriteThatChangesNothing(b *testing.B) {
	for _, c := range []struct{ name, before string }{{"same text", ""}, {"other form", " "}} {
		b.Run(c.name, func(b *testing.B) {
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
			clients := apitest.StartClients(b)
			ours := clients.Writer(api, "PUT", changed, apitest.TypeJSON, c.before+object, 8)
			limit := clients.Writer(bare, "PUT", changed, apitest.TypeJSON, c.before+object, 8)
			apitest.Compare(b, 1000, ours.Send, limit.Send)
			b.ReportMetric(1.2, "aim")
			require.Equal(b, before, s.Store.Revision())
		})
	}
}
