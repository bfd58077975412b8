package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// proxy passes requests to a server and its answers back, and breaks one rule on the way. It leaves all else as it
// is, byte for byte.
type proxy struct {
	server string
	spoil  spoiler
}

// spoiler breaks a rule. Each of its functions may be nil.
type spoiler struct {
	request func(*exchange)         // changes what the server gets
	answer  func(*exchange)         // changes what the client gets
	event   func(event object) bool // changes an event of a watch; false loses it and ends the watch
}

// exchange is one request, and its answer when there is one.
type exchange struct {
	method, path string // the path is as the client has sent it, without the query
	query        []string
	header       http.Header
	body         []byte

	status       int
	answerHeader http.Header
	answer       []byte

	server string
	before object // what a spoiler remembers from its request for its answer
}

// start serves until the test ends and returns the URL.
func (p proxy) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s.URL
}

func (p proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{method: r.Method, header: r.Header.Clone(), server: p.server}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	x.path, x.query = path, strings.Split(query, "&")
	x.body, _ = io.ReadAll(r.Body)
	if p.spoil.request != nil {
		p.spoil.request(x)
	}
	resp, err := x.send(r)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	x.status, x.answerHeader = resp.StatusCode, resp.Header
	if p.spoil.event != nil && x.status == http.StatusOK && x.watches() {
		p.stream(w, resp)
		return
	}
	if p.spoil.answer == nil || x.watches() {
		x.head(w)
		pass(w, resp.Body)
		return
	}
	x.answer, _ = io.ReadAll(resp.Body)
	p.spoil.answer(x)
	x.head(w)
	_, _ = w.Write(x.answer)
}

// send sends the request to the server, and ends when that of the client does.
func (x *exchange) send(r *http.Request) (*http.Response, error) {
	var body io.Reader
	if len(x.body) > 0 || r.ContentLength != 0 {
		body = bytes.NewReader(x.body)
	}
	req, err := http.NewRequestWithContext(r.Context(), x.method, x.server, body)
	if err != nil {
		return nil, err
	}
	req.URL.Opaque, req.URL.RawQuery = x.path, strings.Join(x.query, "&")
	req.Header, req.Host = x.header, r.Host
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "") // otherwise net/http sends its own
	}
	return upstream.RoundTrip(req)
}

// upstream neither follows redirects nor decompresses.
var upstream = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}

// head sends the headers of the answer, and a length only if the client gets the bytes of the server.
func (x *exchange) head(w http.ResponseWriter) {
	for name, values := range x.answerHeader {
		if x.answer == nil || name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(x.status)
}

// pass copies a body and holds nothing back.
func pass(w http.ResponseWriter, body io.Reader) {
	part := make([]byte, 32<<10)
	w.(http.Flusher).Flush()
	for {
		n, err := body.Read(part)
		if n > 0 {
			_, _ = w.Write(part[:n])
			w.(http.Flusher).Flush()
		}
		if err != nil {
			return
		}
	}
}

func (p proxy) stream(w http.ResponseWriter, resp *http.Response) {
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	w.(http.Flusher).Flush()
	d := json.NewDecoder(resp.Body)
	d.UseNumber()
	for {
		var event object
		if err := d.Decode(&event); err != nil || !p.spoil.event(event) {
			return
		}
		_ = json.NewEncoder(w).Encode(event)
		w.(http.Flusher).Flush()
	}
}

// watches reports whether the request is a watch.
func (x *exchange) watches() bool {
	return slices.Contains(x.query, "watch=1") || slices.Contains(x.query, "watch=true")
}

// drop removes the parameters of these names from the query.
func (x *exchange) drop(names ...string) {
	x.query = slices.DeleteFunc(x.query, func(parameter string) bool {
		name, _, _ := strings.Cut(parameter, "=")
		return slices.Contains(names, name)
	})
}

// media reports whether the Content-Type of the request is this.
func (x *exchange) media(name string) bool {
	return strings.HasPrefix(x.header.Get("Content-Type"), name)
}

// sent returns the object that the client sends, or nil.
func (x *exchange) sent() object { return decoded(x.body) }

// got returns the object that the server answers, or nil.
func (x *exchange) got() object { return decoded(x.answer) }

func decoded(b []byte) (o object) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&o) != nil {
		return nil
	}
	return o
}

func encoded(o any) []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return b
}

// current asks the server for the object at the path of the request.
func (x *exchange) current() object {
	resp, err := http.Get(x.server + x.path)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	return decoded(b)
}

// in returns a nested object, or nil.
func in(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}
