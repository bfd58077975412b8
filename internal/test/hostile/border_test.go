package hostile_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// raw sends a request over a new connection, and returns everything that the server sends until it closes the
// connection.
func raw(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, request) }() // the server may answer before it has read everything
	got, _ := io.ReadAll(conn)                           // a reset after the response also ends it
	return string(got)
}

// codeOf returns the code of a raw answer.
func codeOf(text string) (code int) {
	_, _ = fmt.Sscanf(text, "HTTP/1.1 %d", &code)
	return code
}

// No spelling of a path gives alice access to another namespace.
func pathTricks(t *testing.T, h *host) {
	const a, b, root = "/namespaces/team-a", "/namespaces/team-b", "/apis/example.com/v1"
	targets := []string{
		root + b + "/notes/hidden0", root + b + "/notes", root + "/notes", root + a + "/.." + b + "/notes",
		root + a + "/%2e%2e" + b + "/notes",
		root + a + "/..%2fteam-b/notes", root + a + "%2f..%2fteam-b/notes",
		root + a + "/notes/..%2f..%2fteam-b%2fnotes%2fhidden0",
		root + a + "/notes/../../team-b/notes/hidden0", root + a + "/notes/%2e%2e/%2e%2e/team-b/notes/hidden0",
		root + "//namespaces//team-b//notes",
		"//apis/example.com/v1" + b + "/notes", root + "/./namespaces/./team-b/notes",
		root + "/namespaces/team-a;/../team-b/notes",
		root + "/namespaces/team-a%00/../team-b/notes", root + "/namespaces/team-b%00/notes",
		root + "/namespaces/team-b%20/notes",
		root + "/namespaces/TEAM-B/notes", root + "/NAMESPACES/team-b/notes", root + "/namespaces/team-a,team-b/notes",
		root + "/namespaces/*/notes", root + "/namespaces//notes", root + "/namespaces/%2a/notes",
		root + "/namespaces/team%2db/notes/hidden0",
		root + "/namespaces/team-a%5c..%5cteam-b/notes", root + "/namespaces/%c0%ae%c0%ae/team-b/notes",
		root + "/namespaces/team-a%ef%bc%8f..%ef%bc%8fteam-b/notes",
		root + "/watch" + b + "/notes", root + "/watch/notes", root + "/watch" + b + "/notes/hidden0",
		root + b + "/notes?watch=1", root + "/notes?watch=1",
		root + a + "/notes?namespace=team-b&fieldSelector=metadata.namespace%3Dteam-b",
		root + a + "/notes?fieldSelector=metadata.namespace!%3Dteam-a",
		root + a + "/notes/hidden0", root + a + "/notes/own/../../../team-b/notes/hidden0",
		root + a + "/notes/own%3f/../hidden0",
		root + a + "/notes/own?x=/../../team-b/notes/hidden0", root + a + "/notes/own#/../../team-b/notes/hidden0",
		"/api/v1" + b, "/api/v1/namespaces", "/api/v1" + b + "/serviceaccounts/robot",
		"/api/v1" + b + "/serviceaccounts/robot/token",
		"/apis/rbac.authorization.k8s.io/v1" + b + "/roles", "/apis/example.com/v1beta1" + b + "/notes",
		"/apis/example.com/v1" + b + "/notes/hidden0/status",
		"/apis/../apis/example.com/v1" + b + "/notes", "http://127.0.0.1" + root + b + "/notes",
		"http://" + b + "/" + root + b + "/notes", "*", "",
	}
	rewrites := "X-Original-Url: " + root + a + "/notes\r\nX-Rewrite-Url: " + root + a +
		"/notes\r\nX-Http-Method-Override: GET\r\n" +
		"X-Remote-User: root\r\nX-Remote-Group: admins\r\nX-Forwarded-User: root\r\nX-Forwarded-Prefix: " + root + b +
		"\r\nX-Forwarded-For: 127.0.0.1\r\n"
	address := h.plain.Listener.Addr().String()
	for _, target := range targets {
		for _, mount := range []string{"", "/mounted"} {
			if mount != "" && !strings.HasPrefix(target, "/") {
				continue
			}
			for _, method := range []string{"GET", "DELETE", "POST"} {
				if method == "DELETE" && !strings.Contains(target, "team-b") {
					continue // alice may delete her own notes
				}
				got := raw(t, address, method+" "+mount+target+
					" HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer token-of-alice\r\n"+rewrites+"Connection: close\r\n\r\n")
				require.NotContains(t, got, secret, "%s %s", method, target)
				code := codeOf(got)
				require.True(t, code >= 300 && code < 500 || code < 300 && strings.Contains(target, a), "%s %s: %.300s", method,
					mount+target, got)
				if location := headerOf(got, "Location"); location != "" {
					again := raw(t, address, "GET "+location+
						" HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer token-of-alice\r\nConnection: close\r\n\r\n")
					require.NotContains(t, again, secret, location)
				}
			}
		}
	}
	require.Equal(t, 20, h.count(t, "team-b"), "nothing was deleted")
}

// headerOf returns a header of a raw answer.
func headerOf(text, name string) string {
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	return r.Header.Get(name)
}

// count returns how many notes root sees in a namespace.
func (h *host) count(t *testing.T, namespace string) int {
	t.Helper()
	return strings.Count(h.as("root").ask(t, "GET", notesIn(namespace), "").body, `"uid"`)
}

// Nothing that alice sends to her namespace or as herself reaches another namespace.
func otherNamespaces(t *testing.T, h *host) {
	own := notesIn("team-a")
	h.must(t, "POST", own, note("hers", "", ""))
	list := h.as("bob").ask(t, "GET", notesIn("team-b")+"?limit=5", "")
	var page struct{ Metadata struct{ Continue string } }
	require.NoError(t, json.Unmarshal([]byte(list.body), &page))
	require.NotEmpty(t, page.Metadata.Continue)
	role := `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"mine"},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]}`
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		code                     int
	}{
		{"a body with another namespace", "POST", own,
			strings.Replace(note("x", "", ""), `"name":`, `"namespace":"team-b","name":`, 1), nil, 400},
		{"a PUT with another namespace", "PUT", own + "/hers",
			strings.Replace(note("hers", "", ""), `"name":`, `"namespace":"team-b","name":`, 1), nil, 400},
		{"a patch of the namespace", "PATCH", own + "/hers", `{"metadata":{"namespace":"team-b"}}`,
			[]string{"Content-Type", "application/merge-patch+json"}, 400},
		{"an apply with another namespace", "PATCH", own + "/hers?fieldManager=m&force=true",
			strings.Replace(note("hers", "", ""), `"name":`, `"namespace":"team-b","name":`, 1),
			[]string{"Content-Type", "application/apply-patch+yaml"}, 400},
		{"a write into another namespace", "POST", notesIn("team-b"), note("x", "", ""), nil, 403},
		{"a dry run in another namespace", "POST", notesIn("team-b") + "?dryRun=All", note("x", "", ""), nil, 403},
		{"an apply in another namespace", "PATCH", notesIn("team-b") + "/new?fieldManager=m", note("new", "", ""),
			[]string{"Content-Type", "application/apply-patch+yaml"}, 403},
		{"a list of all namespaces", "GET", "/apis/example.com/v1/notes", "", nil, 403},
		{"a deletion in another namespace", "DELETE", notesIn("team-b"), "", nil, 403},
		{"a role binding in her namespace", "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/rolebindings", role,
			nil, 403},
		{"a token of another account", "POST", "/api/v1/namespaces/team-b/serviceaccounts/robot/token", `{"spec":{}}`, nil,
			403},
		{"a question about others", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
			`{"spec":{"user":"root","resourceAttributes":{"verb":"get"}}}`, nil, 403},
	} {
		got := h.as("alice").ask(t, c.method, c.path, c.body, c.header...)
		assert.Equal(t, c.code, got.code, "%s: %s", c.name, got.body)
		assert.NotContains(t, got.body, secret, c.name)
	}
	got := h.as("alice").ask(t, "GET", own+"?limit=5&continue="+page.Metadata.Continue, "")
	assert.NotContains(t, got.body, secret, "a page of another namespace")
	assert.NotContains(t, got.body, "hidden", "a page of another namespace")
	assert.Equal(t, 20, h.count(t, "team-b"))
}

// Users share connections, and request the same objects in all representations at once. Each user receives only what
// that user may see.
func cachedAnswers(t *testing.T, h *host) {
	clients := map[string]*http.Client{h.plain.URL: {Transport: &http.Transport{MaxConnsPerHost: 4}},
		h.http2.URL: {Transport: &http.Transport{
			ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	forms := []string{"application/json", "application/yaml", "application/json;as=Table;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
	queries := []string{"", "?resourceVersion=0", "?limit=1", "?labelSelector=team", "?pretty=true",
		"?fieldSelector=metadata.name%3Dtheirs"}
	var group sync.WaitGroup
	var answered atomic.Int64
	for url, over := range clients {
		defer over.CloseIdleConnections()
		await(t, "a connection that all requests can share", func() string {
			if _, err := (client{over, url, "token-of-gus"}).send(t.Context(), "GET", notesIn("shared"), ""); err != nil {
				return err.Error()
			}
			return ""
		})
		for n := range 120 {
			group.Add(1)
			go func() {
				defer group.Done()
				user := []string{"gus", "fay", "mallory"}[n%3]
				header := []string{"Accept", forms[n%len(forms)], "If-None-Match", "*"}
				if n%2 == 0 { // otherwise the transport asks for gzip
					header = append(header, "Accept-Encoding", "identity")
				}
				a, err := client{over, url, "token-of-" + user}.send(t.Context(), "GET", notesIn("shared")+queries[n%len(queries)],
					"", header...)
				if err != nil || a.code == http.StatusTooManyRequests {
					return // on a busy machine, net/http gives up HTTP/2 connections whose first frames are late
				}
				answered.Add(1)
				assert.Equal(t, map[string]int{"gus": 200, "fay": 200, "mallory": 403}[user], a.code, a.body)
				assert.NotEqual(t, "public", a.header.Get("Cache-Control"))
				if user != "gus" {
					assert.NotContains(t, a.body, secret)
				}
				if user == "fay" {
					assert.NotContains(t, a.body, "theirs")
				}
			}()
		}
	}
	group.Wait()
	t.Logf("%d answers", answered.Load())
	assert.Positive(t, answered.Load())
}

// Notes are moved out of the filter of fay and into it while she watches and tries to write. She never sees what a
// hidden note says.
func relabelling(t *testing.T, h *host) {
	shared := notesIn("shared")
	for name, labels := range map[string]string{"wandering": `"team":"b"`, "fays": `"team":"a"`} {
		h.must(t, "POST", shared, note(name, map[bool]string{true: secret, false: "open"}[name == "wandering"], labels))
		defer h.must(t, "DELETE", shared+"/"+name, "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", h.plain.URL+shared+"?watch=1&allowWatchBookmarks=true", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer token-of-fay")
	watch, err := h.calm.Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, watch.StatusCode)
	var seen bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer watch.Body.Close()
		lines := bufio.NewScanner(watch.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			seen.Write(lines.Bytes())
			if bytes.Contains(lines.Bytes(), []byte(`"the last"`)) {
				return
			}
		}
	}()
	for n := range 20 {
		team, text := "a", "open"
		if n%2 == 1 {
			team, text = "b", secret
		}
		h.must(t, "PATCH", shared+"/wandering", fmt.Sprintf(`{"metadata":{"labels":{"team":%q}},"text":%q}`, team, text),
			"Content-Type", "application/merge-patch+json")
		h.attackBorder(t, n%2 == 1)
	}
	h.must(t, "POST", shared, note("last", "the last", `"team":"a"`))
	defer h.must(t, "DELETE", shared+"/last", "")
	<-done
	assert.Contains(t, seen.String(), `"DELETED"`)
	assert.Contains(t, seen.String(), `"the last"`)
	assert.NotContains(t, seen.String(), secret)
}

// attackBorder sends the requests with which fay could attack a note, which is hidden from her or not.
func (h *host) attackBorder(t *testing.T, hidden bool) {
	t.Helper()
	const merge = "application/merge-patch+json"
	shared := notesIn("shared")
	at := shared + "/wandering"
	test := func(text string) string { return fmt.Sprintf(`[{"op":"test","path":"/text","value":%q}]`, text) }
	for _, c := range []struct {
		method, path, body, media string
		hidden, visible           int
	}{
		{"GET", at, "", "", 404, 200},
		{"PATCH", at, test(secret), "application/json-patch+json", 404, 422},
		{"PATCH", at + "?dryRun=All", `{"text":"mine"}`, merge, 404, 200},
		{"PATCH", at, `{"metadata":{"labels":{"team":"b"}}}`, merge, 404, 403},
		{"PATCH", at, `{"metadata":{"labels":null}}`, merge, 404, 403},
		{"POST", shared, note("wandering", "", `"team":"a"`), "application/json", 409, 409},
		{"POST", shared, note("new", "", `"team":"b"`), "application/json", 403, 403},
		{"POST", shared, note("new", "", ``), "application/json", 403, 403},
		{"PATCH", at + "?fieldManager=fay&force=true&dryRun=All", note("wandering", "mine", `"team":"a"`),
			"application/apply-patch+yaml", 409, 200},
		{"DELETE", at + "?dryRun=All", "", "", 404, 200},
		{"DELETE", shared + "/theirs", "", "", 404, 404},
		{"DELETE", shared + "?labelSelector=team%3Db", "", "", 200, 200},
	} {
		got := h.as("fay").ask(t, c.method, c.path, c.body, "Content-Type", c.media)
		want := c.visible
		if hidden {
			want = c.hidden
		}
		require.Equal(t, want, got.code, "%s %s %s: %s", c.method, c.path, c.body, got.body)
		if strings.Contains(c.body, secret) {
			continue // the response may repeat her guess
		}
		require.NotContains(t, got.body, secret, "%s %s", c.method, c.path)
	}
}

func TestBorders(t *testing.T) {
	underAttack(t, attack{"path tricks", pathTricks}, attack{"other namespaces", otherNamespaces},
		attack{"cached answers", cachedAnswers}, attack{"relabelling", relabelling})
}
