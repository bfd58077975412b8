package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// The kind that all programs serve.
const (
	group      = "/apis/peers.example.com/v1"
	definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"things.peers.example.com"},"spec":{"group":"peers.example.com","scope":"Namespaced",
"names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"size":{"type":"integer","format":"int64"},
"data":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}}`
)

// The namespaces of the load. The lists show things only, so creates do not make them longer.
const (
	things  = "things"
	created = "created"
	watched = "watched"
)

func thingsIn(namespace string) string { return group + "/namespaces/" + namespace + "/things" }
func thing(namespace string, n int) string {
	return fmt.Sprintf("%s/%s", thingsIn(namespace), nameOf(n))
}
func nameOf(n int) string { return fmt.Sprintf("thing-%06d", n) }

// objectSize is the approximate size of an object in bytes.
var objectSize = 2 << 10

// body returns a Thing.
func body(name string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"apiVersion":"peers.example.com/v1","kind":"Thing","metadata":{"name":%q,"labels":{"app":"load"}},`+
		`"spec":{"size":1,"data":{`, name)
	for i := 0; b.Len() < objectSize-64; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key%03d":"a value of some length that is %03d"`, i, i)
	}
	b.WriteString(`}}}`)
	return b.Bytes()
}

// sizes numbers the changes, so that each of them changes something.
var sizes atomic.Int64

// patch is a merge patch that changes something.
func patch() []byte { return fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100_000+sizes.Add(1)) }

// newClient returns a client with a number of connections, each for one request at a time. It verifies no certificate,
// because the servers sign theirs themselves.
func newClient(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{}, // an empty map means HTTP/1.1
	}}
}

// begin sends a request, and returns the answer without reading its body. If the code of the answer is not 2xx, begin
// returns a failure.
func (s *server) begin(ctx context.Context, client *http.Client, method, path string, body []byte) (*http.Response,
	error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	request.Header.Set("Accept", "application/json")
	if request.Header.Set("Content-Type", "application/json"); method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := client.Do(request)
	if err == nil && response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(response.Body) // after an error, the part that was read is still useful
		_ = response.Body.Close()
		return nil, &failure{method + " " + path, response.StatusCode, string(text)}
	}
	return response, err
}

// failure is the answer to a request that has failed.
type failure struct {
	request string
	code    int
	text    string
}

func (f *failure) Error() string { return fmt.Sprintf("%s: %d %s", f.request, f.code, f.text) }

// do sends a request and returns the body of the answer.
func (s *server) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	response, err := s.begin(ctx, s.client, method, path, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// define creates the kind, and the namespaces if the server has such objects, and waits until the kind is served.
func (s *server) define(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := s.eventually(ctx, http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		[]byte(definition)); err != nil {
		return err
	}
	for _, name := range []string{things, created, watched} {
		namespace := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name)
		_, err := s.do(ctx, http.MethodPost, "/api/v1/namespaces", namespace)
		if f := (*failure)(nil); errors.As(err, &f) && f.code == http.StatusNotFound {
			break
		} else if err != nil {
			return err
		}
	}
	return s.eventually(ctx, http.MethodPost, thingsIn(watched), body(nameOf(1)))
}

// eventually sends a request until it succeeds: nothing reports that a server is ready for it.
func (s *server) eventually(ctx context.Context, method, path string, body []byte) error {
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		_, err := s.do(ctx, method, path, body)
		if f := (*failure)(nil); err == nil || errors.As(err, &f) && f.code == http.StatusConflict {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
}

// inParallel calls do for 0 to n-1, on as many goroutines as there are connections.
func inParallel(n int, do func(worker, i int) error) error {
	var all sync.WaitGroup
	failures := make([]error, connections)
	for worker := range connections {
		all.Go(func() {
			for i := worker; i < n && failures[worker] == nil; i += connections {
				failures[worker] = do(worker, i)
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

var size = regexp.MustCompile(`"size":[0-9]+`)

// changed returns an object with another size.
func changed(object []byte) []byte {
	return size.ReplaceAll(object, fmt.Appendf(nil, `"size":%d`, 100_000+sizes.Add(1)))
}

// streams are open watches.
type streams struct {
	client   *http.Client
	stop     context.CancelFunc
	running  sync.WaitGroup
	arriving sync.WaitGroup
	failed   chan error
}

// watch opens n watches of a namespace, each on a connection of its own.
func (s *server) watch(ctx context.Context, n int) (*streams, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &streams{client: newClient(n), stop: stop, failed: make(chan error, n)}
	for range n {
		response, err := s.begin(ctx, w.client, http.MethodGet, thingsIn(watched)+"?watch=true", nil)
		if err != nil {
			w.close()
			return nil, err
		}
		w.running.Go(func() {
			defer response.Body.Close()
			w.read(ctx, response.Body)
		})
	}
	return w, nil
}

// read counts the changes, and not the objects that the stream begins with.
func (w *streams) read(ctx context.Context, body io.Reader) {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if ctx.Err() == nil {
				w.failed <- fmt.Errorf("a watch has ended: %w", err)
			}
			return
		}
		if bytes.HasPrefix(line, []byte(`{"type":"MODIFIED"`)) {
			w.arriving.Done()
		}
	}
}

// change changes the object and waits until the change has arrived everywhere.
func (w *streams) change(ctx context.Context, s *server, n int) error {
	w.arriving.Add(n)
	if _, err := s.do(ctx, http.MethodPatch, thing(watched, 1), patch()); err != nil {
		return err
	}
	arrived := make(chan struct{})
	go func() {
		w.arriving.Wait()
		close(arrived)
	}()
	select {
	case <-arrived:
		return nil
	case err := <-w.failed:
		return err
	case <-time.After(time.Minute):
		return fmt.Errorf("%s: a change has not reached all watches", s.name)
	}
}

func (w *streams) close() {
	w.stop()
	w.running.Wait()
	w.client.CloseIdleConnections()
}
