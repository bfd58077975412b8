package hostile_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// attack is a request that must be refused, and how.
type attack struct {
	name        string
	method      string
	target      string
	body        string
	header      []string
	code        int
	reason      status.Reason
	messagePart string
}

// refuse runs attacks against a server with one Thing called a, and checks after each that nothing has changed.
func refuse(t *testing.T, attacks []attack) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	before := s.Store.Revision()
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			w := s.Do(a.method, a.target, a.body, a.header...)
			got := apitest.StatusOf(t, w)
			assert.Equal(t, a.code, int(got.Code), got.Message)
			assert.Equal(t, a.reason, got.Reason, got.Message)
			assert.Contains(t, got.Message, a.messagePart)
			assert.Less(t, len(w.Body), 16<<10, "an error is no larger than it has to be")
			assert.Equal(t, before, s.Store.Revision(), "a refused request changes nothing")
		})
	}
}

func TestHostileBodies(t *testing.T) {
	const unrecognized = "the object provided is unrecognized (must be of type Thing): "
	post := func(name, body string, code int, reason status.Reason, message string) attack {
		return attack{name: name, method: "POST", target: apitest.Things, body: body, code: code, reason: reason,
			messagePart: message}
	}
	badJSON := func(name, body string) attack { return post(name, body, 400, status.ReasonBadRequest, unrecognized) }
	invalid := func(name, body, message string) attack {
		return post(name, body, 422, status.ReasonInvalid, message)
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	deepList := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat("]", n) }
	refuse(t, []attack{
		badJSON("nothing", " "),
		badJSON("a word", "hello"),
		badJSON("half an object", `{"kind":"Thing"`),
		badJSON("two objects", apitest.ThingBody("b", "{}")+apitest.ThingBody("c", "{}")),
		badJSON("trailing comma", `{"kind":"Thing",}`),
		badJSON("single quotes", `{'kind':'Thing'}`),
		badJSON("comment", `/**/`+apitest.ThingBody("b", "{}")),
		badJSON("NaN", apitest.ThingBody("b", `{"ratio":NaN}`)),
		badJSON("leading zero", apitest.ThingBody("b", `{"size":01}`)),
		badJSON("NUL", "\x00"),
		badJSON("byte order mark", "\xef\xbb\xbf"+apitest.ThingBody("b", "{}")),
		badJSON("UTF-16", "\xff\xfe{\x00}\x00"),
		badJSON("invalid UTF-8 in a value", apitest.ThingBody("b", "{\"text\":\"\xff\xfe\"}")),
		badJSON("invalid UTF-8 in a key", apitest.ThingBody("b", "{\"\xc3\x28\":1}")),
		badJSON("invalid UTF-8 at the start", "{\"\xff\":1}"),
		badJSON("overlong UTF-8", apitest.ThingBody("b", "{\"text\":\"\xc0\xaf\"}")),
		badJSON("raw control character in a string", apitest.ThingBody("b", "{\"text\":\"a\nb\"}")),
		badJSON("a list", `[]`),
		badJSON("null", `null`),
		badJSON("a number", `1`),
		badJSON("kind is a number", `{"kind":1,"apiVersion":"v1"}`),
		badJSON("kind is missing", `{"metadata":{"name":"b"}}`),
		badJSON("deep 100,000", deep(100_000)),
		badJSON("deep list 100,000", deepList(100_000)),
		badJSON("deep 100,000 without an end", strings.Repeat(`{"a":`, 100_000)),
		badJSON("deep list 1,000,000 without an end", strings.Repeat(`[`, 1_000_000)),
		badJSON("deep 100,000 in a field", apitest.ThingBody("b", deep(100_000))),
		post("wrong version", `{"kind":"Thing","apiVersion":"things.example.com/v2","metadata":{"name":"b"}}`, 400,
			status.ReasonBadRequest, "does not match the expected API version"),
		invalid("another kind", `{"kind":"GlobalThing","apiVersion":"things.example.com/v1","metadata":{"name":"b"}}`,
			"kind: Invalid value"),
		post("metadata is a list", `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":[]}`, 400,
			status.ReasonBadRequest, "cannot be handled as a Thing"),
		post("name is a number", `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":1}}`, 400,
			status.ReasonBadRequest, "cannot be handled as a Thing"),
		post("labels are a list", `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"b","labels":[1]}}`, 400,
			status.ReasonBadRequest, "cannot be handled as a Thing"),
		post("another namespace", `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"b","namespace":"kube-system"}}`, 400,
			status.ReasonBadRequest, "namespace of the provided object"),
		post("resourceVersion on create",
			`{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"b","resourceVersion":"7"}}`, 400,
			status.ReasonBadRequest, "resourceVersion should not be set"),
		invalid("spec is a list", apitest.ThingBody("b", `[]`), "spec: "),
		invalid("string for an integer", apitest.ThingBody("b", `{"size":"1"}`), "spec.size: "),
		invalid("fraction for an integer", apitest.ThingBody("b", `{"size":1.5}`), "spec.size: "),
		invalid("integer over int32", apitest.ThingBody("b", `{"size":99999999999}`), "spec.size: "),
		invalid("integer over int64", apitest.ThingBody("b", `{"parts":[{"name":"a","count":9223372036854775808}]}`),
			"format int64 in spec.parts[0].count"),
		post("exponent over every integer", apitest.ThingBody("b", `{"size":1e400}`), 400, status.ReasonBadRequest,
			"cannot unmarshal number 1e400 into Go value of type float64"),
		post("exponent over every float", apitest.ThingBody("b", `{"ratio":-1e400}`), 400, status.ReasonBadRequest,
			"cannot unmarshal number -1e400 into Go value of type float64"),
		invalid("object for a boolean", apitest.ThingBody("b", `{"enabled":{}}`), "spec.enabled: "),
		invalid("number in a map of strings", apitest.ThingBody("b", `{"data":{"k":1}}`), "spec.data.k: "),
		invalid("object for a list", apitest.ThingBody("b", `{"parts":{}}`), "spec.parts: "),
		invalid("list key twice", apitest.ThingBody("b", `{"parts":[{"name":"a"},{"name":"a"}]}`), "Duplicate value"),
		invalid("list key missing", apitest.ThingBody("b", `{"parts":[{}]}`), "spec.parts[0].name: Required value"),
		invalid("outside of the enum", apitest.ThingBody("b", `{"color":"black"}`), "spec.color: Unsupported value"),
		invalid("name with a slash", apitest.ThingBody("../x", `{}`), "metadata.name: Invalid value"),
		invalid("name with a NUL", `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"a\u0000b"}}`,
			"metadata.name: Invalid value"),
		invalid("no name", apitest.ThingBody("", `{}`), "metadata.name: Required value"),
		invalid("long name", apitest.ThingBody(strings.Repeat("a", 254), `{}`), "must be no more than 253"),
		invalid("generateName of runes that are cut in two",
			`{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"generateName":"`+strings.Repeat("aé", 60)+`"}}`,
			"metadata.generateName: Invalid value"),
		{name: "strict, unknown field", method: "POST", target: apitest.Things + "?fieldValidation=Strict",
			body: apitest.ThingBody("b", `{"nope":1}`), code: 400, reason: status.ReasonBadRequest,
			messagePart: `unknown field "spec.nope"`},
		{name: "strict, duplicate key", method: "POST", target: apitest.Things + "?fieldValidation=Strict",
			body: apitest.ThingBody("b", `{"size":1,"size":2}`), code: 400, reason: status.ReasonBadRequest,
			messagePart: `duplicate field "spec.size"`},
		{name: "strict, duplicate name", method: "POST", target: apitest.Things + "?fieldValidation=Strict",
			body: `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"b","name":"c"}}`, code: 400,
			reason: status.ReasonBadRequest, messagePart: `duplicate field "metadata.name"`},
		{name: "strict, other case", method: "POST", target: apitest.Things + "?fieldValidation=Strict",
			body: apitest.ThingBody("b", `{"Size":1}`), code: 400, reason: status.ReasonBadRequest,
			messagePart: `unknown field "spec.Size"`},
	})
}

func TestHostileYAML(t *testing.T) {
	head := "apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: b}\n"
	var laughs strings.Builder
	laughs.WriteString(head + "spec:\n  data:\n    a0: &a0 lol\n")
	list := "l0: &l0 [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
	for i := 1; i < 10; i++ {
		list += fmt.Sprintf("l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d,", i-1), 10), ","))
	}
	merge := "m0: &m0 {a: 1}\n"
	for i := 1; i < 40; i++ {
		merge += fmt.Sprintf("m%d: &m%d {x: *m%d, y: *m%d}\n", i, i, i-1, i-1)
	}
	post := func(name, body, message string) attack {
		return attack{name: name, method: "POST", target: apitest.Things, body: body,
			header: []string{"Content-Type", "application/yaml"}, code: 400, reason: status.ReasonBadRequest,
			messagePart: message}
	}
	refuse(t, []attack{
		post("a billion laughs", list+head, "unrecognized"),
		post("a doubling tree", merge+head, "unrecognized"),
		post("an alias to itself", "a: &a [*a]\n"+head, "unrecognized"),
		post("an alias to nothing", "a: *b\n"+head, "unrecognized"),
		post("a tab for a blank", "\tkind: Thing\n", "unrecognized"),
		post("a scalar", "just words", "unrecognized"),
		post("a list", "- a\n- b\n", "unrecognized"),
		post("deep flow lists", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000), "unrecognized"),
		post("deep block maps", deepYAML(2000), "unrecognized"),
		post("a binary tag of no base64", head+"spec: {text: !!binary '***'}\n", "unrecognized"),
		post("control characters", head+"spec: {text: \"\x01\"}\n", "unrecognized"),
		post("invalid UTF-8", head+"spec: {text: \"\xff\"}\n", "unrecognized"),
	})
}

func deepYAML(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestHostilePatches(t *testing.T) {
	const merge, jsonPatch = "application/merge-patch+json", "application/json-patch+json"
	doubling := `[{"op":"add","path":"/spec/data","value":{"a":"` + strings.Repeat("x", 1000) + `"}}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,{"op":"copy","from":"/spec/data","path":"/spec/data/d%d"}`, i)
	}
	patch := func(name, media, body string, code int, reason status.Reason, message string) attack {
		return attack{name: name, method: "PATCH", target: apitest.Things + "/a", body: body,
			header: []string{"Content-Type", media}, code: code, reason: reason, messagePart: message}
	}
	refuse(t, []attack{
		patch("copies that double", jsonPatch, doubling+"]", 422, status.ReasonInvalid, ""),
		patch("too many operations", jsonPatch,
			"["+strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/kind","value":"Thing"},`, 10_001), ",")+"]", 413,
			status.ReasonRequestEntityTooLarge, "maximum operations"),
		patch("no JSON", jsonPatch, "nope", 400, status.ReasonBadRequest, ""),
		patch("an object for a list", jsonPatch, "{}", 400, status.ReasonBadRequest, ""),
		patch("a list of numbers", jsonPatch, "[1]", 400, status.ReasonBadRequest, ""),
		patch("an unknown operation", jsonPatch, `[{"op":"explode","path":"/spec"}]`, 422, status.ReasonInvalid, ""),
		patch("a path that is not there", jsonPatch, `[{"op":"remove","path":"/spec/nope/x"}]`, 422, status.ReasonInvalid,
			""),
		patch("a pointer without a slash", jsonPatch, `[{"op":"add","path":"spec","value":1}]`, 422, status.ReasonInvalid,
			""),
		patch("an index of many digits", jsonPatch, `[{"op":"add","path":"/spec/parts/99999999999999999999","value":{}}]`,
			422, status.ReasonInvalid, ""),
		patch("the whole object replaced by a number", jsonPatch, `[{"op":"replace","path":"","value":1}]`, 422,
			status.ReasonInvalid, ""),
		patch("the whole object removed", jsonPatch, `[{"op":"remove","path":""}]`, 422, status.ReasonInvalid, ""),
		patch("a failed test", jsonPatch,
			`[{"op":"replace","path":"/spec/size","value":7},{"op":"test","path":"/spec/size","value":8}]`, 422,
			status.ReasonInvalid, ""),
		patch("deep value", jsonPatch,
			`[{"op":"add","path":"/spec/data","value":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}]`, 400,
			status.ReasonBadRequest, ""),
		patch("merge, no JSON", merge, "nope", 400, status.ReasonBadRequest, ""),
		patch("merge, a list", merge, "[]", 400, status.ReasonBadRequest, ""),
		patch("merge, a number", merge, "1", 400, status.ReasonBadRequest, ""),
		patch("merge, deep", merge, strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000), 400,
			status.ReasonBadRequest, ""),
		patch("merge, another name", merge, `{"metadata":{"name":"b"}}`, 400, status.ReasonBadRequest,
			"does not match the name"),
		patch("merge, another namespace", merge, `{"metadata":{"namespace":"other"}}`, 400, status.ReasonBadRequest,
			"namespace"),
		patch("merge, another kind", merge, `{"kind":"GlobalThing"}`, 422, status.ReasonInvalid, "kind"),
		patch("merge, no metadata", merge, `{"metadata":null}`, 400, status.ReasonBadRequest, "name must be provided"),
		patch("merge, metadata is text", merge, `{"metadata":"x"}`, 422, status.ReasonInvalid, ""),
		patch("merge, another uid", merge, `{"metadata":{"uid":"x"}}`, 422, status.ReasonInvalid, "metadata.uid"),
		patch("merge, old version", merge, `{"metadata":{"resourceVersion":"1"}}`, 409, status.ReasonConflict, "modified"),
		patch("merge, version of words", merge, `{"metadata":{"resourceVersion":"x"}}`, 400, status.ReasonBadRequest,
			"resourceVersion"),
		patch("no media type of a patch", "application/json", "{}", 415, status.ReasonUnsupportedMediaType, ""),
		patch("a media type that nobody knows", "text/plain", "{}", 415, status.ReasonUnsupportedMediaType, ""),
		patch("no media type at all", ";", "{}", 415, status.ReasonUnsupportedMediaType, ""),
	})
}

// endless is a body that never ends by itself and counts what was read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestHostileBodySizes(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	before := s.Store.Revision()
	const fifty = 50 << 20
	targets := []struct{ method, target, media string }{
		{"POST", apitest.Things, apitest.TypeJSON},
		{"PUT", apitest.Things + "/a", apitest.TypeJSON},
		{"PUT", apitest.Things + "/a/status", apitest.TypeJSON},
		{"PATCH", apitest.Things + "/a", "application/merge-patch+json"},
		{"PATCH", apitest.Things + "/a", "application/json-patch+json"},
		{"DELETE", apitest.Things + "/a", apitest.TypeJSON},
		{"DELETE", apitest.Things, apitest.TypeJSON},
		{"POST", apitest.Things, "application/yaml"},
	}
	for _, target := range targets {
		for _, length := range []int64{fifty, -1} {
			t.Run(fmt.Sprintf("%s %s %s length %d", target.method, target.target[len(apitest.ThingsV1):], target.media, length),
				func(t *testing.T) {
					body := &endless{}
					r := apitest.NewRequest(target.method, target.target, io.LimitReader(body, fifty), "Content-Type", target.media)
					r.ContentLength = length
					got := apitest.StatusOf(t, apitest.Ask(s.API, r))
					assert.Equal(t, status.ReasonRequestEntityTooLarge, got.Reason)
					assert.Equal(t, "Request entity too large: limit is 3145728", got.Message)
					assert.Less(t, body.read, int64(8<<20), "the rest is not read")
					assert.Equal(t, before, s.Store.Revision())
				})
		}
	}
	t.Run("exactly the limit", func(t *testing.T) {
		body := apitest.ThingBody("limit", "{}")
		w := s.Do("POST", apitest.Things, body+strings.Repeat(" ", 3<<20-len(body)))
		require.Equal(t, http.StatusCreated, w.Code)
	})
	t.Run("one byte more", func(t *testing.T) {
		body := apitest.ThingBody("more", "{}")
		w := s.Do("POST", apitest.Things, body+strings.Repeat(" ", 3<<20-len(body)+1))
		require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	})
	t.Run("the limit is the host's", func(t *testing.T) {
		small := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxBodyBytes: 200}})
		require.Equal(t, http.StatusCreated, small.Do("POST", apitest.Things, apitest.ThingBody("a", "{}")).Code)
		require.Equal(t, http.StatusRequestEntityTooLarge,
			small.Do("POST", apitest.Things, apitest.ThingBody("b", `{"text":"`+strings.Repeat("x", 200)+`"}`)).Code)
	})
}

// A connection that ends before the body does is the client's fault, whatever the length it had promised.
func TestHostileBodyEndsEarly(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	before := s.Store.Revision()
	r := apitest.NewRequest("POST", apitest.Things, strings.NewReader(`{"kind":`), "Content-Type", apitest.TypeJSON)
	r.ContentLength = 1000
	got := apitest.StatusOf(t, apitest.Ask(s.API, r))
	assert.Equal(t, status.ReasonBadRequest, got.Reason)
	assert.Equal(t, before, s.Store.Revision())
}

// A client that only promises a large body must not be given the memory for it.
func TestPromisedBodyCostsNothing(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	const requests, promised = 20, 3 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range requests {
		r := apitest.NewRequest("POST", apitest.Things, strings.NewReader("{"), "Content-Type", apitest.TypeJSON)
		r.ContentLength = promised
		require.Equal(t, status.ReasonBadRequest, apitest.StatusOf(t, apitest.Ask(s.API, r)).Reason)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(requests*promised/4))
}

func TestDeepestAllowedBody(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	deep := strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)
	w := s.Do("POST", apitest.Things, apitest.ThingBody("deep", `{"size":1,"unknown":`+deep+`}`))
	require.Equal(t, http.StatusCreated, w.Code, "unknown fields are dropped, however deep")
	require.NotContains(t, w.Body, `"unknown":`)
	before := s.Store.Revision()
	w = s.Do("POST", apitest.Things,
		apitest.ThingBody("deeper", strings.Repeat(`{"a":`, 10_001)+"1"+strings.Repeat("}", 10_001)))
	require.Equal(t, status.ReasonBadRequest, apitest.StatusOf(t, w).Reason)
	require.Equal(t, before, s.Store.Revision())
}

// Without Strict, the last of several members with one name counts, and the client gets a warning.
func TestDuplicateKeysLastOneCounts(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	w := s.Do("POST", apitest.Things, apitest.ThingBody("a", `{"size":1,"size":2}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.EqualValues(t, 2, apitest.ThingOf(t, w).Spec.Size)
	require.Equal(t, []string{`299 - "duplicate field \"spec.size\""`}, w.Header["Warning"])
	w = s.Do("POST", apitest.Things+"?fieldValidation=Ignore", apitest.ThingBody("b", `{"size":1,"size":2}`))
	require.Equal(t, http.StatusCreated, w.Code)
	require.Empty(t, w.Header["Warning"])
	// Both checks and storage must see the same one of two names, or one could be checked and the other stored.
	w = s.Do("POST", apitest.Things,
		`{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"../x","namespace":"other"},"metadata":{"name":"c"}}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.Equal(t, "c", apitest.ThingOf(t, w).Name)
	require.Equal(t, "default", apitest.ThingOf(t, w).Namespace)
}

func TestWarningsAreHarmless(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	unknown := ""
	for i := range 1000 {
		unknown += fmt.Sprintf(`,"u%d%s":1`, i, strings.Repeat("w", 100))
	}
	w := s.Do("POST", apitest.Things, apitest.ThingBody("a", `{"size":1,"x\r\nSet-Cookie: a=b":1,"\"\\":2`+unknown+`}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	total := 0
	for _, text := range w.Header["Warning"] {
		total += len(text)
		require.NotContains(t, text, "\n")
		require.NotContains(t, text, "\r")
	}
	require.Empty(t, w.Header["Set-Cookie"])
	require.Less(t, total, 8<<10)
	require.Greater(t, total, 1<<10)
}

func TestHostileNames(t *testing.T) {
	const name, namespace = "Name parameter invalid", "Namespace parameter invalid"
	item := func(segment string) string { return apitest.Things + "/" + segment }
	in := func(segment string) string { return apitest.ThingsV1 + "/namespaces/" + segment + "/things/a" }
	get := func(label, target string, code int, reason status.Reason, message string) attack {
		return attack{name: label, method: "GET", target: target, code: code, reason: reason, messagePart: message}
	}
	const bad, absent = status.ReasonBadRequest, status.ReasonNotFound
	refuse(t, []attack{
		get("dots", item(".."), 400, bad, name),
		get("one dot", item("."), 400, bad, name),
		get("escaped dots", item("%2e%2e"), 400, bad, name),
		get("escaped dots, upper case", item("%2E%2E"), 400, bad, name),
		get("half escaped dots", item(".%2e"), 400, bad, name),
		get("dots and a segment", item("../x"), 404, absent, ""),
		get("escaped dots and a slash", item("%2e%2e%2fx"), 404, absent, "could not find"),
		get("escaped slash", item("a%2Fstatus"), 404, absent, "could not find"),
		get("escaped slash, lower case", item("a%2fstatus"), 404, absent, "could not find"),
		get("an escaped path into another namespace", item("..%2F..%2Fkube-system%2Fthings%2Fa"), 404, absent,
			"could not find"),
		get("doubly escaped slash", item("a%252Fb"), 400, bad, name),
		get("percent", item("a%25"), 400, bad, name),
		get("NUL", item("a%00"), 404, absent, "not found"),
		get("invalid UTF-8", item("%ff%fe"), 404, absent, "not found"),
		get("line breaks", item("a%0d%0aSet-Cookie:x"), 404, absent, "not found"),
		get("a long name", item(strings.Repeat("a", 2000)), 404, absent, "not found"),
		get("upper case", item("A"), 404, absent, "not found"),
		get("a blank", item("%20a"), 404, absent, "not found"),
		get("a colon", item(":name"), 404, absent, "not found"),
		get("a star", item("*"), 404, absent, "not found"),
		get("no name, and a subresource", apitest.Things+"//status", 404, absent, "could not find"),
		get("dots as namespace", in(".."), 400, bad, namespace),
		get("escaped dots as namespace", in("%2e%2e"), 400, bad, namespace),
		get("doubly escaped slash in the namespace", in("a%252Fb"), 400, bad, namespace),
		get("escaped slash in the namespace", in("default%2Fthings%2Fa"), 404, absent, "could not find"),
		get("invalid UTF-8 in the namespace", in("%ff"), 404, absent, "not found"),
		get("no namespace, one object", apitest.ThingsV1+"/namespaces//things/a", 404, absent, "could not find"),
		get("an object without its namespace", apitest.ThingsV1+"/things/a", 404, absent, "could not find"),
		get("cluster scope, dots", apitest.ThingsV1+"/globalthings/..", 400, bad, name),
		get("cluster scope, no name", apitest.ThingsV1+"/globalthings//", 404, absent, "could not find"),
		get("cluster scope, a subresource of no name", apitest.ThingsV1+"/globalthings//status", 404, absent,
			"could not find"),
		get("cluster scope in a namespace", apitest.ThingsV1+"/namespaces/default/globalthings", 404, absent,
			"could not find"),
		get("a resource that is not there", apitest.ThingsV1+"/namespaces/default/nothings", 404, absent, "could not find"),
		get("a version that is not there", "/apis/"+apitest.ThingGroup+"/v2/things", 404, absent, "could not find"),
		get("deeper than there is anything", item("a/status/more"), 404, absent, `"a" not found`),
		get("an unknown subresource", item("a/nope"), 404, absent, ""),
		{name: "delete a name of dots", method: "DELETE", target: item("%2e%2e"), code: 400, reason: bad, messagePart: name},
		{name: "delete across an escaped slash", method: "DELETE", target: item("x%2F..%2Fa"), code: 404, reason: absent,
			messagePart: "could not find"},
		{name: "patch a name of dots", method: "PATCH", target: item("%2e%2e"), body: "{}",
			header: []string{"Content-Type", "application/merge-patch+json"}, code: 400, reason: bad, messagePart: name},
		{name: "put to a name of dots", method: "PUT", target: item("%2e%2e"), body: apitest.ThingBody("..", "{}"), code: 400,
			reason: bad, messagePart: name},
		{name: "put with another name", method: "PUT", target: item("a"), body: apitest.ThingBody("b", "{}"), code: 400,
			reason: bad, messagePart: "does not match the name"},
		{name: "put without a name", method: "PUT", target: item("a"), body: apitest.ThingBody("", "{}"), code: 400,
			reason: bad, messagePart: "undeterminable"},
		{name: "create in dots", method: "POST", target: apitest.ThingsV1 + "/namespaces/%2e%2e/things",
			body: apitest.ThingBody("b", "{}"), code: 400, reason: bad, messagePart: namespace},
		{name: "create in a namespace that is not a label", method: "POST",
			target: apitest.ThingsV1 + "/namespaces/Not_A_Label/things", body: apitest.ThingBody("b", "{}"), code: 422,
			reason: status.ReasonInvalid, messagePart: "metadata.namespace: Invalid value"},
		{name: "create without a namespace", method: "POST", target: apitest.ThingsV1 + "/namespaces//things",
			body: apitest.ThingBody("b", "{}"), code: 405, reason: status.ReasonMethodNotAllowed, messagePart: "does not allow"},
		{name: "create across all namespaces", method: "POST", target: apitest.ThingsV1 + "/things",
			body: apitest.ThingBody("b", "{}"), code: 405, reason: status.ReasonMethodNotAllowed, messagePart: "does not allow"},
		{name: "delete across all namespaces", method: "DELETE", target: apitest.ThingsV1 + "/things", code: 405,
			reason: status.ReasonMethodNotAllowed, messagePart: "does not allow"},
		{name: "delete in no namespace", method: "DELETE", target: apitest.ThingsV1 + "/namespaces//things", code: 405,
			reason: status.ReasonMethodNotAllowed, messagePart: "does not allow"},
	})
}

// Every way of writing a path leads to what it says, or nowhere.
func TestEquivalentPaths(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	for _, target := range []string{
		apitest.Things + "/a", apitest.Things + "/a/", apitest.Things + "/%61",
		strings.Replace(apitest.Things, "things", "%74hings", 2) + "/a",
		strings.Replace(apitest.Things, "default", "d%65fault", 1) + "/a", apitest.Things + "/a/status",
		apitest.Things + "/a/status/",
		apitest.Things + "/a/%73tatus",
	} {
		w := s.Do("GET", target, "")
		if assert.Equal(t, http.StatusOK, w.Code, "%s: %s", target, w.Body) {
			assert.Equal(t, "a", apitest.ThingOf(t, w).Name, target)
		}
	}
	for _, target := range []string{apitest.Things, apitest.Things + "/", apitest.ThingsV1 + "/namespaces//things",
		apitest.ThingsV1 + "/namespaces//things/", apitest.ThingsV1 + "/things", apitest.ThingsV1 + "/things/"} {
		w := s.Do("GET", target, "")
		var list struct{ Items []apitest.Thing }
		if assert.Equal(t, http.StatusOK, w.Code, "%s: %s", target, w.Body) {
			assert.NoError(t, json.Unmarshal([]byte(w.Body), &list))
			assert.Len(t, list.Items, 1, target)
		}
	}
}

// A long path costs memory in proportion to its length, however many parts it has.
func TestVeryLongURLs(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	long := strings.Repeat("x", 1<<20)
	for _, target := range []string{
		"/" + long, apitest.Things + "/" + long, apitest.ThingsV1 + "/namespaces/" + long + "/things/a", "/apis/" + long,
		apitest.Things + "/a/" + long,
		strings.Repeat("/a", 1<<19), apitest.Things + "/" + strings.Repeat("%61", 1<<18),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := s.Do("GET", target, "")
		runtime.ReadMemStats(&after)
		assert.Equal(t, http.StatusNotFound, w.Code)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64*len(target)), "%.20s", target)
	}
	w := s.Do("GET", apitest.Things+"?nonsense="+long, "")
	assert.Equal(t, http.StatusOK, w.Code)
}

func TestHostileParameters(t *testing.T) {
	const bad, invalid = status.ReasonBadRequest, status.ReasonInvalid
	list := func(name, query string, code int, reason status.Reason, message string) attack {
		return attack{name: name, method: "GET", target: apitest.Things + "?" + query, code: code, reason: reason,
			messagePart: message}
	}
	del := func(name, query string, code int, reason status.Reason, message string) attack {
		return attack{name: name, method: "DELETE", target: apitest.Things + "/a?" + query, code: code, reason: reason,
			messagePart: message}
	}
	post := func(name, query string, code int, reason status.Reason, message string) attack {
		return attack{name: name, method: "POST", target: apitest.Things + "?" + query, body: apitest.ThingBody("b", "{}"),
			code: code, reason: reason, messagePart: message}
	}
	var many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, "k%d=v,", i)
	}
	attacks := []attack{
		list("limit of words", "limit=abc", 400, bad, `strconv.ParseInt: parsing "abc"`),
		list("limit over int64", "limit=9223372036854775808", 400, bad, "out of range"),
		list("timeoutSeconds of words", "timeoutSeconds=1s", 400, bad, "strconv.ParseInt"),
		list("timeoutSeconds over int64", "watch=1&timeoutSeconds=99999999999999999999", 400, bad, "out of range"),
		list("negative resourceVersion", "resourceVersion=-1", 400, bad, "invalid resource version"),
		list("resourceVersion over uint64", "resourceVersion=18446744073709551616", 400, bad, "invalid resource version"),
		list("resourceVersion of words", "resourceVersion=abc", 400, bad, "invalid resource version"),
		list("resourceVersion in hex", "resourceVersion=0x10", 400, bad, "invalid resource version"),
		list("watch from words", "watch=1&resourceVersion=abc", 400, bad, "invalid resource version"),
		list("timeout of words", "timeout=abc", 400, bad, "invalid timeout specified"),
		list("timeout over every duration", "timeout=99999999999999h", 400, bad, "invalid timeout specified"),
		list("match without a version", "resourceVersionMatch=Exact", 422, invalid, "resourceVersionMatch: Forbidden"),
		list("match of words", "resourceVersion=1&resourceVersionMatch=Foo", 422, invalid, "Unsupported value"),
		list("exactly zero", "resourceVersion=0&resourceVersionMatch=Exact", 422, invalid, "Forbidden"),
		list("initial events of a list", "sendInitialEvents=true", 422, invalid, "sendInitialEvents"),
		list("label selector, one comma", "labelSelector=,", 400, bad, "found ','"),
		list("label selector, open set", "labelSelector=a+in+(b", 400, bad, "found"),
		list("label selector, bad key", "labelSelector=-a%3Db", 400, bad, "name part must"),
		list("label selector, bad value", "labelSelector=a%3D-b", 400, bad, "a valid label must"),
		list("label selector, no integer", "labelSelector=a%3Ex", 400, bad, "must be an integer"),
		list("label selector, control characters", "labelSelector=%00%01", 400, bad, ""),
		list("label selector, invalid UTF-8", "labelSelector=%ff%fe", 400, bad, ""),
		list("label selector, too many terms", "labelSelector="+url.QueryEscape(strings.TrimSuffix(many.String(), ",")), 400,
			bad, ""),
		list("label selector, 1 MB", "labelSelector=a+in+("+strings.Repeat("x,", 1<<19)+"y)", 400, bad, ""),
		list("field selector, no operator", "fieldSelector=a", 400, bad, "invalid selector"),
		list("field selector, unknown field", "fieldSelector=spec.size%3D1", 400, bad,
			"field label not supported: spec.size"),
		list("field selector, bad escape", "fieldSelector=metadata.name%3D%5Cb", 400, bad, "invalid escape sequence"),
		list("field selector, 1 MB", "fieldSelector=metadata.name%3D"+strings.Repeat("x", 1<<20), 400, bad, ""),
		list("includeObject of words", "includeObject=Foo", 400, bad, "includeObject"),
		del("dryRun of words", "dryRun=Some", 422, invalid, "dryRun: Unsupported value"),
		del("dryRun of nothing", "dryRun=", 422, invalid, "dryRun: Unsupported value"),
		del("policy of words", "propagationPolicy=Violent", 422, invalid, "propagationPolicy: Unsupported value"),
		del("policy twice", "propagationPolicy=Orphan&orphanDependents=true", 422, invalid, "cannot be both set"),
		del("grace of words", "gracePeriodSeconds=soon", 400, bad, "strconv.ParseInt"),
		post("dryRun of words", "dryRun=all", 422, invalid, "dryRun: Unsupported value"),
		post("fieldValidation of words", "fieldValidation=strict", 422, invalid, "fieldValidation: Unsupported value"),
		post("long fieldManager", "fieldManager="+strings.Repeat("x", 129), 422, invalid, "fieldManager: Too long"),
		post("fieldManager that rings", "fieldManager=a%07", 422, invalid, "U+0007"),
		post("timeout of words", "timeout=abc", 400, bad, "invalid timeout specified"),
		{name: "delete all of a selector that does not parse", method: "DELETE",
			target: apitest.Things + "?labelSelector=%21%21", code: 400, reason: bad},
		{name: "delete all of a field that is not known", method: "DELETE",
			target: apitest.Things + "?fieldSelector=spec.size%3D9", code: 400, reason: bad},
		// A query that falls apart must not lose its selector: this would delete everything.
		{name: "delete all, a query that does not unescape", method: "DELETE",
			target: apitest.Things + "?labelSelector=app%3Dx%zz", code: 400, reason: bad, messagePart: "invalid URL escape"},
		{name: "delete all, a query with a semicolon", method: "DELETE", target: apitest.Things + "?labelSelector=app%3Dx;y",
			code: 400, reason: bad, messagePart: "semicolon"},
		{name: "delete, options with a query that does not unescape", method: "DELETE",
			target: apitest.Things + "/a?dryRun=All%", code: 400, reason: bad, messagePart: "invalid URL escape"},
		{name: "get with a number over uint64", method: "GET",
			target: apitest.Things + "/a?resourceVersion=99999999999999999999", code: 400, reason: bad},
	}
	for i := range attacks {
		if strings.Contains(attacks[i].name, "includeObject") {
			attacks[i].header = []string{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}
		}
	}
	refuse(t, attacks)
}

// Numbers at the edges that are no error.
func TestExtremeNumbersInOptions(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	for _, query := range []string{"limit=-1", "limit=-9223372036854775808", "limit=9223372036854775807", "limit=0",
		"timeoutSeconds=-5",
		"resourceVersion=0", "timeout=-1s", "timeout=0"} {
		w := s.Do("GET", apitest.Things+"?"+query, "")
		assert.Equal(t, http.StatusOK, w.Code, "%s: %s", query, w.Body)
		assert.Contains(t, w.Body, `"name":"a"`, query)
	}
}

// A request for a version of the future waits for it a while, and then gets an error.
func TestVersionsFromTheFuture(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{Store: nil})
	quick := apitest.CloseAtEnd(t, memory.New(storage.Options{MaxWait: time.Millisecond}))
	s.API = apitest.Start(t, rest.Options{Store: quick}, apitest.ThingResource())
	s.MustCreate(t, "a")
	token := base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a\u0000"}`))
	for _, target := range []string{
		apitest.Things + "/a?resourceVersion=18446744073709551615",
		apitest.Things + "?resourceVersion=18446744073709551615",
		apitest.Things + "?resourceVersion=18446744073709551615&resourceVersionMatch=Exact",
		apitest.Things + "?limit=1&continue=" + token,
	} {
		w := s.Do("GET", target, "")
		got := apitest.StatusOf(t, w)
		assert.Equal(t, status.ReasonTimeout, got.Reason, target)
		assert.Equal(t, 504, int(got.Code))
		assert.Contains(t, got.Message, "Too large resource version")
		assert.Equal(t, "1", w.Header.Get("Retry-After"))
	}
}

func TestForgedContinueTokens(t *testing.T) {
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	token := func(version string, rv any, start string) string {
		data, err := json.Marshal(map[string]any{"v": version, "rv": rv, "start": start})
		require.NoError(t, err)
		return encode(string(data))
	}
	const v1, invalid = "meta.k8s.io/v1", "invalid continue token: continue key is not valid"
	attacks := []attack{
		{name: "no base64", target: "continue=!!!"},
		{name: "padded base64", target: "continue=" + base64.URLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1"}`)) +
			"%3D"},
		{name: "no JSON", target: "continue=" + encode("hello")},
		{name: "a list", target: "continue=" + encode("[]")},
		{name: "null", target: "continue=" + encode("null")},
		{name: "deep", target: "continue=" + encode(strings.Repeat("[", 100_000))},
		{name: "no version", target: "continue=" + token("", 1, "a\x00")},
		{name: "another version", target: "continue=" + token("meta.k8s.io/v2", 1, "a\x00")},
		{name: "revision zero", target: "continue=" + token(v1, 0, "a\x00")},
		{name: "revision below minus one", target: "continue=" + token(v1, -2, "a\x00")},
		{name: "revision of words", target: "continue=" + token(v1, "x", "a\x00")},
		{name: "revision with a fraction", target: "continue=" + token(v1, 1.5, "a\x00")},
		{name: "revision over int64",
			target: "continue=" + encode(`{"v":"meta.k8s.io/v1","rv":9223372036854775808,"start":"a\u0000"}`)},
		{name: "no start", target: "continue=" + token(v1, 1, "")},
		{name: "start of nothing", target: "continue=" + token(v1, 1, "\x00")},
		{name: "start in another namespace", target: "continue=" + token(v1, 1, "kube-system/a\x00")},
		{name: "start that climbs", target: "continue=" + token(v1, 1, "../kube-system/a\x00")},
		{name: "start with an end inside", target: "continue=" + token(v1, 1, "a\x00b\x00")},
	}
	for i := range attacks {
		a := &attacks[i]
		a.method, a.target = "GET", apitest.Things+"?"+a.target
		a.code, a.reason, a.messagePart = 400, status.ReasonBadRequest, invalid
	}
	good := token(v1, -1, "a\x00")
	attacks = append(attacks,
		attack{name: "and a version", method: "GET", target: apitest.Things + "?resourceVersion=1&continue=" + good,
			code: 400, reason: status.ReasonBadRequest, messagePart: "not allowed when using continue"},
		attack{name: "and a match", method: "GET",
			target: apitest.Things + "?resourceVersion=1&resourceVersionMatch=Exact&continue=" + good, code: 422,
			reason: status.ReasonInvalid, messagePart: "resourceVersionMatch is forbidden when continue"},
		attack{name: "for all namespaces, without one", method: "GET", target: apitest.ThingsV1 + "/things?continue=" + good,
			code: 400, reason: status.ReasonBadRequest, messagePart: invalid},
		attack{name: "delete the rest, no base64", method: "DELETE", target: apitest.Things + "?continue=!!!", code: 400,
			reason: status.ReasonBadRequest, messagePart: invalid},
	)
	refuse(t, attacks)
}

// A token says where to go on, never where to look.
func TestForgedTokenReachesNoOtherNamespace(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	for _, namespace := range []string{"aaa", "mmm", "zzz"} {
		w := s.Do("POST", apitest.ThingsV1+"/namespaces/"+namespace+"/things", apitest.ThingBody("secret-"+namespace, "{}"))
		require.Equal(t, http.StatusCreated, w.Code)
	}
	for _, start := range []string{"a", "", "zzz/", "aaa/secret", "secret-a", "/", "\xff", "mmm", "zzzz", "-"} {
		for _, rv := range []int64{-1, 1, int64(s.Store.Revision())} {
			data, err := json.Marshal(map[string]any{"v": "meta.k8s.io/v1", "rv": rv, "start": start + "\x00"})
			require.NoError(t, err)
			w := s.Do("GET", apitest.ThingsV1+"/namespaces/mmm/things?limit=5&continue="+
				base64.RawURLEncoding.EncodeToString(data), "")
			assert.NotContains(t, w.Body, "secret-aaa")
			assert.NotContains(t, w.Body, "secret-zzz")
			assert.Less(t, w.Code, 500, w.Body)
		}
	}
}

func TestHostileMethods(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	before := s.Store.Revision()
	for _, method := range []string{"OPTIONS", "TRACE", "CONNECT", "LINK", "get", "G\x00T", strings.Repeat("X", 10_000),
		""} {
		for _, target := range []string{apitest.Things, apitest.Things + "/a", apitest.ThingsV1 + "/things", "/apis", "/api",
			"/apis/" + apitest.ThingGroup, apitest.ThingsV1, "/openapi/v2", "/openapi/v3", "/version", "/"} {
			r := apitest.NewRequest("GET", target, nil)
			r.Method = method
			got := apitest.StatusOf(t, apitest.Ask(s.API, r))
			assert.Equal(t, status.ReasonMethodNotAllowed, got.Reason, "%.20s %s", method, target)
			assert.Contains(t, []string{"the server does not allow this method on the requested resource",
				` is not supported on resources of kind "things.things.example.com"`}, got.Message)
		}
	}
	for _, c := range []struct{ method, target string }{{"POST", apitest.Things + "/a"}, {"PUT", apitest.Things},
		{"PATCH", apitest.Things},
		{"PUT", apitest.ThingsV1 + "/things"}, {"POST", "/version"}, {"DELETE", "/apis"}} {
		got := apitest.StatusOf(t, s.Do(c.method, c.target, apitest.ThingBody("b", "{}")))
		assert.Equal(t, status.ReasonMethodNotAllowed, got.Reason, "%s %s", c.method, c.target)
	}
	got := apitest.StatusOf(t, s.Do("DELETE", apitest.Things+"/a/status", ""))
	assert.Equal(t, status.ReasonMethodNotAllowed, got.Reason)
	assert.Equal(t, before, s.Store.Revision())
}

func TestHostileHeaders(t *testing.T) {
	unsupported := status.ReasonUnsupportedMediaType
	post := func(media string) attack {
		return attack{name: "POST " + media, method: "POST", target: apitest.Things, body: apitest.ThingBody("b", "{}"),
			header: []string{"Content-Type", media}, code: 415, reason: unsupported, messagePart: "application/json"}
	}
	accept := func(header string) attack {
		return attack{name: "GET accepting " + header, method: "GET", target: apitest.Things + "/a",
			header: []string{"Accept", header}, code: 406, reason: status.ReasonNotAcceptable}
	}
	refuse(t, []attack{
		post("text/html"), post("application/jsonx"), post("garbage"), post("application/json; charset"),
		post("application/json;;;=\""),
		post("application/xml;application/json"), post("application/vnd.kubernetes.protobuf"),
		post("multipart/form-data; boundary=x"),
		post(strings.Repeat("x", 10_000)[:200]), post("application/json-patch+json"),
		accept("text/html"), accept("garbage"), accept(";"), accept("application/json;q=0"),
		accept("application/json;as=Nothing;g=meta.k8s.io;v=v1"), accept("application/json;as=Table;g=meta.k8s.io;v=v7"),
		accept("application/json;stream=other"), accept("*/xml"),
		{name: "a list as one object", method: "GET", target: apitest.Things,
			header: []string{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}, code: 406,
			reason: status.ReasonNotAcceptable},
		{name: "a watch in CBOR", method: "GET", target: apitest.Things + "?watch=1",
			header: []string{"Accept", "application/cbor"}, code: 406, reason: status.ReasonNotAcceptable},
		{name: "a delete that cannot be answered deletes nothing", method: "DELETE", target: apitest.Things + "/a",
			header: []string{"Accept", "text/html"}, code: 406, reason: status.ReasonNotAcceptable},
		{name: "a delete of all that cannot be answered deletes nothing", method: "DELETE", target: apitest.Things,
			header: []string{"Accept", "text/html"}, code: 406, reason: status.ReasonNotAcceptable},
		{name: "a create that cannot be answered creates nothing", method: "POST", target: apitest.Things,
			body: apitest.ThingBody("b", "{}"), header: []string{"Accept", "text/html"}, code: 406,
			reason: status.ReasonNotAcceptable},
		{name: "delete options of another kind", method: "DELETE", target: apitest.Things + "/a",
			body: `{"kind":"Thing","apiVersion":"v1"}`, code: 400, reason: status.ReasonBadRequest,
			messagePart: `no kind "Thing" is registered`},
		{name: "delete options that are a list", method: "DELETE", target: apitest.Things + "/a", body: `[]`, code: 400,
			reason: status.ReasonBadRequest},
		{name: "delete options that are a number", method: "DELETE", target: apitest.Things + "/a", body: `7`, code: 400,
			reason: status.ReasonBadRequest},
		{name: "delete options of wrong types", method: "DELETE", target: apitest.Things + "/a",
			body: `{"gracePeriodSeconds":"x"}`, code: 400, reason: status.ReasonBadRequest},
		{name: "delete options that are not JSON", method: "DELETE", target: apitest.Things + "/a", body: `{`, code: 400,
			reason: status.ReasonBadRequest, messagePart: "json parse error"},
		{name: "delete options of an unknown media type", method: "DELETE", target: apitest.Things + "/a", body: `{}`,
			header: []string{"Content-Type", "text/html"}, code: 415, reason: unsupported},
		{name: "delete on another uid", method: "DELETE", target: apitest.Things + "/a",
			body: `{"preconditions":{"uid":"x"}}`, code: 409, reason: status.ReasonConflict},
		{name: "delete on an old version", method: "DELETE", target: apitest.Things + "/a",
			body: `{"preconditions":{"resourceVersion":"1"}}`, code: 409, reason: status.ReasonConflict},
		{name: "delete all on another uid", method: "DELETE", target: apitest.Things, body: `{"preconditions":{"uid":"x"}}`,
			code: 409, reason: status.ReasonConflict},
	})
}

func TestUnusualButValidHeaders(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	for i, media := range []string{"application/json", "application/json; charset=utf-8", "APPLICATION/JSON",
		"application/json;q=1;x=y",
		" application/json ", ""} {
		r := apitest.NewRequest("POST", apitest.Things, strings.NewReader(apitest.ThingBody(fmt.Sprintf("m%d", i), "{}")))
		r.Header["Content-Type"] = []string{media}
		w := apitest.Ask(s.API, r)
		assert.Equal(t, http.StatusCreated, w.Code, "%q: %s", media, w.Body)
	}
	for _, accept := range []string{"", "*/*", "application/*", "text/html, */*;q=0.1",
		"application/json;q=0.3, text/html",
		"application/json;q=9", ",,,application/json,", "garbage/,application/json"} {
		w := s.Do("GET", apitest.Things+"/m0", "", "Accept", accept)
		assert.Equal(t, http.StatusOK, w.Code, "%q: %s", accept, w.Body)
	}
}

// An error about input of one size has a bounded size itself, and takes a bounded time.
func TestAmplification(t *testing.T) {
	if testing.Short() {
		t.Skip("reads megabytes")
	}
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	repeat := func(part string, bytes int) string {
		return strings.TrimSuffix(strings.Repeat(part, bytes/len(part)), ",")
	}
	const most = 256 << 10
	meta := func(member string) string {
		return `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"b",` + member + `}}`
	}
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	bodies := map[string]struct{ media, method, target, body string }{
		"wrong elements":   {body: apitest.ThingBody("b", `{"parts":[`+repeat("1,", most)+`]}`)},
		"elements without": {body: apitest.ThingBody("b", `{"parts":[`+repeat("{},", most)+`]}`)},
		"equal keys":       {body: apitest.ThingBody("b", `{"parts":[`+repeat(`{"name":"a"},`, most)+`]}`)},
		"many keys": {body: apitest.ThingBody("b",
			`{"size":-1,"parts":[`+numbered(`{"name":"n%d"},`, 12_000)+`]}`)},
		"unknown fields":   {body: apitest.ThingBody("b", `{"size":-1,`+numbered(`"u%d":1,`, 20_000)+`}`)},
		"duplicate fields": {body: apitest.ThingBody("b", `{"size":-1,`+repeat(`"size":1,`, most)+`,"size":-1}`)},
		"duplicate long path": {body: apitest.ThingBody("b",
			`{"size":-1,"`+strings.Repeat("k", 12_000)+`":{`+repeat(`"a":1,`, 1<<18)+`}}`)},
		"wrong labels":      {body: meta(`"labels":{` + numbered(`"-%d":"-",`, 12_000) + `}`)},
		"wrong annotations": {body: meta(`"annotations":{` + numbered(`"-%d":"-",`, 12_000) + `}`)},
		"wrong finalizers":  {body: meta(`"finalizers":[` + numbered(`"-%d",`, 12_000) + `]`)},
		"wrong owners":      {body: meta(`"ownerReferences":[` + repeat(`{},`, most) + `]`)},
		"many controllers": {body: meta(`"ownerReferences":[` +
			numbered(`{"apiVersion":"v1","kind":"K","name":"n%d","uid":"u","controller":true},`, 4_000) + `]`)},
		"bare finalizers": {body: `{"kind":"Thing","apiVersion":"things.example.com/v1","metadata":{"name":"B","finalizers":[` +
			numbered(`"f%d",`, 12_000) + `]}}`},
		"long enum value":  {body: apitest.ThingBody("b", `{"color":"`+strings.Repeat("x", most)+`"}`)},
		"long wrong value": {body: apitest.ThingBody("b", `{"size":"`+strings.Repeat("x", most)+`"}`)},
		"long name":        {body: apitest.ThingBody(strings.Repeat("a", most), "{}")},
		"long kind":        {body: `{"kind":"` + strings.Repeat("x", most) + `","apiVersion":"things.example.com/v1"}`},
		"long group":       {body: `{"kind":"Thing","apiVersion":"` + strings.Repeat("x", most) + `"}`},
		"many YAML keys":   {media: "application/yaml", body: numbered("k%d: 1\n", 12_000)},
		"equal YAML keys":  {media: "application/yaml", body: strings.Repeat("k: 1\n", 20_000)},
		"many YAML aliases": {media: "application/yaml",
			body: "a: &a " + strings.Repeat("x", 1000) + "\nb:\n" + strings.Repeat("- *a\n", 50_000)},
		"YAML in quotes": {media: "application/yaml", body: "a: '" + strings.Repeat("''", most/2)},
		"YAML questions": {media: "application/yaml", body: strings.Repeat("? ", 500_000)},
		"YAML dashes":    {media: "application/yaml", body: strings.Repeat("- ", 500_000)},
		"patch of nonsense": {media: "application/json-patch+json", method: "PATCH", target: apitest.Things + "/a",
			body: `[` + repeat(`{"op":"remove","path":"/x","y":1},`, 300_000) + `]`},
		"patch of inserts": {media: "application/json-patch+json", method: "PATCH", target: apitest.Things + "/a",
			body: `[{"op":"add","path":"/spec/parts","value":[]},` +
				repeat(`{"op":"add","path":"/spec/parts/0","value":{"name":"x"}},`, 500_000) + `]`},
		"merge into nothing": {media: "application/merge-patch+json", method: "PATCH", target: apitest.Things + "/a",
			body: `{"spec":{"size":-1,"data":{` + numbered(`"k%d":null,`, 12_000) + `}}}`},
		"patch with no sense": {media: "application/merge-patch+json", method: "PATCH",
			target: apitest.Things + "/a?fieldValidation=Strict", body: `{"spec":{` + numbered(`"u%d":1,`, 20_000) + `}}`},
	}
	before := s.Store.Revision()
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			if c.method == "" {
				c.method, c.target = "POST", apitest.Things
			}
			if c.media == "" {
				c.media = apitest.TypeJSON
			}
			var w apitest.Answer
			took := apitest.Cost(t, func() { w = s.Do(c.method, c.target, c.body, "Content-Type", c.media) })
			t.Logf("%d bytes in, %d bytes out, %v, %d", len(c.body), len(w.Body), took, w.Code)
			got := apitest.StatusOf(t, w)
			assert.GreaterOrEqual(t, int(got.Code), 400)
			assert.Less(t, int(got.Code), 500)
			assert.LessOrEqual(t, len(w.Body), 5*len(c.body)+64<<10)
			assert.Equal(t, before, s.Store.Revision())
		})
	}
	t.Run("accept header", func(t *testing.T) {
		var w apitest.Answer
		took := apitest.Cost(t, func() {
			w = s.Do("GET", apitest.Things+"/a", "", "Accept", repeat("a/b;q=0.5,", 1<<20))
		})
		t.Logf("%v", took)
		assert.Equal(t, http.StatusNotAcceptable, w.Code)
	})
}

// An object grows no larger than twice what a client may send, by however many patches.
func TestObjectsDoNotGrowWithoutEnd(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxBodyBytes: 64 << 10}})
	s.MustCreate(t, "a")
	grow := func(i int) apitest.Answer {
		return s.Do("PATCH", apitest.Things+"/a",
			fmt.Sprintf(`{"spec":{"data":{"k%d":"%s"}}}`, i, strings.Repeat("x", 30<<10)), "Content-Type",
			"application/merge-patch+json")
	}
	require.Equal(t, http.StatusOK, grow(1).Code)
	require.Equal(t, http.StatusOK, grow(2).Code)
	require.Equal(t, http.StatusOK, grow(3).Code)
	require.Equal(t, http.StatusOK, grow(4).Code)
	before := s.Store.Revision()
	got := apitest.StatusOf(t, grow(5))
	require.Equal(t, status.ReasonRequestEntityTooLarge, got.Reason)
	require.Equal(t, before, s.Store.Revision())
	shrink := s.Do("PATCH", apitest.Things+"/a", `{"spec":{"data":{"k1":null}}}`, "Content-Type",
		"application/merge-patch+json")
	require.Equal(t, http.StatusOK, shrink.Code, shrink.Body)
}

// An object that is too large with its managedFields is stored without them.
func TestManagedFieldsCanMakeAnObjectTooLarge(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxBodyBytes: 4 << 10}})
	var members []string
	for i := range 400 {
		members = append(members, fmt.Sprintf(`"%d":""`, i))
	}
	s.MustCreate(t, "a")
	require.Contains(t, s.Do("GET", apitest.Things+"/a", "").Body, `"managedFields"`)
	w := s.Do("PATCH", apitest.Things+"/a", `{"spec":{"data":{`+strings.Join(members, ",")+`}}}`, "Content-Type",
		"application/merge-patch+json")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	got := s.Do("GET", apitest.Things+"/a", "").Body
	require.Contains(t, got, `"399":""`)
	require.NotContains(t, got, `"managedFields"`)
}

func TestPanickingHooks(t *testing.T) {
	const secret = "the password is 1234"
	boom := func() { panic(secret) }
	hooks := map[string]struct {
		change func(r *rest.Resource[apitest.Thing])
		method string
		target string
		body   string
	}{
		"Default on create": {func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.Default = func(context.Context, *apitest.Thing) error { boom(); return nil }
		}, "POST", apitest.Things, apitest.ThingBody("b", "{}")},
		"Validate on create": {func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.Validate = func(context.Context, *apitest.Thing, *apitest.Thing) (status.FieldErrors, error) {
				boom()
				return nil, nil
			}
		}, "POST", apitest.Things, apitest.ThingBody("b", "{}")},
		"Validate with nil": {func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.Validate = func(_ context.Context, _, old *apitest.Thing) (status.FieldErrors, error) {
				_ = old.Name
				return nil, nil
			}
		}, "POST", apitest.Things, apitest.ThingBody("b", "{}")},
		"ValidateDelete": {func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.ValidateDelete = func(context.Context, *apitest.Thing) error { boom(); return nil }
		}, "DELETE", apitest.Things + "/a", ""},
		"ValidateDelete of all": {func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.ValidateDelete = func(context.Context, *apitest.Thing) error { boom(); return nil }
		}, "DELETE", apitest.Things, ""},
		"Get of a subresource": {thingSub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "scale",
			Get: func(context.Context, *apitest.Thing) (*apitest.ThingScale, error) {
				boom()
				return nil, nil
			}}), "GET",
			apitest.Things + "/a/scale", ""},
		"Update of a subresource": {thingSub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "scale",
			Get:    func(context.Context, *apitest.Thing) (*apitest.ThingScale, error) { return &apitest.ThingScale{}, nil },
			Update: func(context.Context, *apitest.Thing, *apitest.ThingScale) error { boom(); return nil }}), "PUT",
			apitest.Things + "/a/scale", thingScaleJSON},
		"Create of a subresource": {thingSub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "scale",
			Create: func(context.Context, *apitest.Thing, *apitest.ThingScale) (*apitest.ThingScale, error) {
				boom()
				return nil, nil
			}}), "POST", apitest.Things + "/a/scale", thingScaleJSON},
	}
	for name, h := range hooks {
		t.Run(name, func(t *testing.T) {
			var logged strings.Builder
			store := apitest.NewStore(t)
			plain := apitest.Start(t, rest.Options{Store: store}, apitest.ThingResource())
			require.Equal(t, http.StatusCreated,
				(&apitest.ThingServer{API: plain}).Do("POST", apitest.Things, apitest.ThingBody("a", "{}")).Code)
			require.NoError(t, plain.Close())

			resource := apitest.ThingResource()
			h.change(&resource)
			api := apitest.Start(t, rest.Options{Store: &apitest.RegisteredStore{Store: store},
				Logger: apitest.LoggerTo(&logged)}, resource)
			before := store.Revision()
			got := apitest.StatusOf(t, (&apitest.ThingServer{API: api}).Do(h.method, h.target, h.body))
			assert.Equal(t, status.ReasonInternalError, got.Reason, got.Message)
			assert.Equal(t, 500, int(got.Code))
			assert.NotContains(t, got.Message, secret)
			assert.NotContains(t, got.Message, "goroutine")
			assert.NotEmpty(t, logged.String(), "the log says what the answer does not")
			assert.Equal(t, before, store.Revision())
		})
	}
}

func TestPanickingCall(t *testing.T) {
	resource := rest.Resource[apitest.Thing]{Group: apitest.ThingGroup, Version: "v1", Plural: "thingcalls",
		Hooks: rest.Hooks[apitest.Thing]{Call: func(context.Context, *apitest.Thing) error { panic("boom") }}}
	s := apitest.NewThingServer(t, rest.Options{}, resource)
	got := apitest.StatusOf(t, s.Do("POST", apitest.ThingsV1+"/namespaces/default/thingcalls",
		apitest.ThingBody("", "{}")))
	require.Equal(t, status.ReasonInternalError, got.Reason)
	require.NotContains(t, got.Message, "boom")
}

const thingScaleJSON = `{"kind":"ThingScale","apiVersion":"things.example.com/v1","replicas":1}`

func thingSub(s rest.Subresource[apitest.Thing, apitest.ThingScale]) func(*rest.Resource[apitest.Thing]) {
	return func(r *rest.Resource[apitest.Thing]) { r.Subresources = []rest.SubresourceOf[apitest.Thing]{s} }
}

// panickyStore panics where it is told to.
type panickyStore struct {
	*memory.Store
	with any
}

func (s *panickyStore) Get(context.Context, storage.Key, watch.Revision) (*storage.Record, error) {
	panic(s.with)
}

func TestPanickingStore(t *testing.T) {
	serve := func(with any) (a apitest.Answer, passed any) {
		api := apitest.Start(t, rest.Options{Store: &panickyStore{Store: apitest.NewStore(t), with: with},
			Limits: rest.Limits{MaxInFlight: 1}},
			apitest.ThingResource())
		defer func() {
			passed = recover()
			require.NoError(t, api.Close(), "a panic leaves nothing in flight")
		}()
		return apitest.Do(t, api, "GET", apitest.Things+"/a", ""), nil
	}
	t.Run("a panic is a 500", func(t *testing.T) {
		a, passed := serve("boom")
		require.Nil(t, passed)
		require.Equal(t, status.ReasonInternalError, apitest.StatusOf(t, a).Reason)
		require.NotContains(t, a.Body, "boom")
	})
	t.Run("http.ErrAbortHandler passes through", func(t *testing.T) {
		_, passed := serve(http.ErrAbortHandler)
		require.Equal(t, http.ErrAbortHandler, passed)
	})
}

// An answer that has begun cannot become an error any more: it is broken off, so that no client takes it for the whole.
func TestFailureAfterTheAnswerHasBegun(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	for i := range 40 {
		require.Equal(t, http.StatusCreated,
			s.Do("POST", apitest.Things, string(apitest.PaddedThing(fmt.Sprintf("n%d", i), 4<<10))).Code)
	}
	w := &breakingWriter{ResponseRecorder: httptest.NewRecorder()}
	require.PanicsWithValue(t, http.ErrAbortHandler,
		func() { s.API.ServeHTTP(w, apitest.NewRequest("GET", apitest.Things, nil)) })
	require.Equal(t, 2, w.writes, "nothing is written after the break")
}

// breakingWriter panics when it is written to for the second time.
type breakingWriter struct {
	*httptest.ResponseRecorder
	writes int
}

func (w *breakingWriter) Write(p []byte) (int, error) {
	if w.writes++; w.writes == 2 {
		panic("no more")
	}
	return w.ResponseRecorder.Write(p)
}

// A request that some Go program made by hand, as tests and in-process transports do, may have no body at all.
func TestRequestsWithoutABody(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "a")
	for _, c := range []struct {
		method, target string
		code           int
	}{{"POST", apitest.Things, 400}, {"PUT", apitest.Things + "/a", 400}, {"GET", apitest.Things + "/a", 200},
		{"DELETE", apitest.Things + "/a", 200}} {
		r, err := http.NewRequest(c.method, c.target, nil)
		require.NoError(t, err)
		require.Equal(t, c.code, apitest.Ask(s.API, r).Code, c.method)
	}
}

func TestTimeoutOfARequest(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	before := s.Store.Revision()
	got := apitest.StatusOf(t, s.Do("POST", apitest.Things+"?timeout=1ns", apitest.ThingBody("a", "{}")))
	require.Equal(t, status.ReasonTimeout, got.Reason)
	require.Equal(t, 504, int(got.Code))
	require.Equal(t, before, s.Store.Revision())
}

// A store that the host has closed too early is no reason to answer in anything but a Status.
func TestStoreClosedBeforeTheAPI(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	require.NoError(t, s.Store.Close())
	for _, r := range []*http.Request{apitest.NewRequest("GET", apitest.Things, nil),
		apitest.NewRequest("GET", apitest.Things+"/a", nil),
		apitest.NewRequest("POST", apitest.Things, strings.NewReader(apitest.ThingBody("a", "{}")))} {
		got := apitest.StatusOf(t, apitest.Ask(s.API, r))
		assert.Equal(t, status.ReasonServiceUnavailable, got.Reason, "%s %s: %s", r.Method, r.URL, got.Message)
		assert.Equal(t, 503, int(got.Code))
	}
}
