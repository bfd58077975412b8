package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
)

// events returns events with these audit IDs.
func events(ids ...string) (all []*audit.Event) {
	for _, id := range ids {
		all = append(all, &audit.Event{AuditID: id, Level: audit.LevelMetadata, Stage: audit.StageResponseComplete})
	}
	return all
}

// idsOf returns the audit IDs in lines of JSON.
func idsOf(t testing.TB, text []byte) (ids []string) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var e audit.Event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		ids = append(ids, e.AuditID)
	}
	return ids
}

func TestWriterWritesOneLineForEachEvent(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, audit.NewWriter(&b).Write(t.Context(), events("a", "b")))
	assert.Equal(t, []string{"a", "b"}, idsOf(t, b.Bytes()))
}

func TestFileAppendsAndEndsALineThatACrashHasCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, []byte(`{"auditID":"cu`), 0o600))
	f, err := audit.OpenFile(path, audit.FileOptions{})
	require.NoError(t, err)
	require.NoError(t, f.Write(t.Context(), events("a")))
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Write(t.Context(), events("b")), os.ErrClosed)

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	cut, rest, _ := strings.Cut(string(text), "\n")
	assert.Equal(t, `{"auditID":"cu`, cut)
	assert.Equal(t, []string{"a"}, idsOf(t, []byte(rest)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestFileRotatesAndRemovesOldFiles(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "audit-notes.log")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f, err := audit.OpenFile(filepath.Join(dir, "audit.log"), audit.FileOptions{
		MaxBytes: 1, MaxBackups: 2, MaxAge: 24 * time.Hour, Now: func() time.Time { return now },
	})
	require.NoError(t, err)
	files := func() map[string][]string {
		found := map[string][]string{}
		names, err := filepath.Glob(filepath.Join(dir, "audit*.log"))
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			found[filepath.Base(name)] = idsOf(t, text)
		}
		return found
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		require.NoError(t, f.Write(t.Context(), events(id)))
		now = now.Add(time.Second)
	}
	assert.Equal(t, map[string][]string{
		"audit-notes.log": nil, "audit.log": {"d"},
		"audit-2026-01-02T03-04-07.000000000.log": {"b"}, "audit-2026-01-02T03-04-08.000000000.log": {"c"},
	}, files())

	now = now.Add(48 * time.Hour)
	require.NoError(t, f.Write(t.Context(), events("e")))
	require.NoError(t, f.Close())
	assert.Equal(t, map[string][]string{
		"audit-notes.log": nil, "audit.log": {"e"}, "audit-2026-01-04T03-04-09.000000000.log": {"d"},
	}, files())
}

func TestWebhookPostsAnEventList(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST application/json", r.Method+" "+r.Header.Get("Content-Type"))
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	require.NoError(t, audit.NewWebhook(rest.Endpoint{URL: server.URL}, audit.WebhookOptions{}).Write(t.Context(),
		events("a", "b")))
	var list audit.EventList
	require.NoError(t, json.Unmarshal(body, &list))
	assert.Equal(t, "EventList audit.k8s.io/v1", list.Kind+" "+list.APIVersion)
	require.Len(t, list.Items, 2)
	assert.Equal(t, "b", list.Items[1].AuditID)
}

// roundTripper is a function that is an [http.RoundTripper].
type roundTripper func() (*http.Response, error)

func (f roundTripper) RoundTrip(*http.Request) (*http.Response, error) { return f() }

func TestWebhookRepeatsCallsThatMaySucceedLater(t *testing.T) {
	answer := func(code int) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("secret"))}, nil
	}
	for name, c := range map[string]struct {
		codes []int // 0 is an error of the network
		fails string
		waits time.Duration
	}{
		"the third attempt succeeds": {codes: []int{0, 503, 200}, waits: 3 * time.Second},
		"too many requests":          {codes: []int{429, 200}, waits: time.Second},
		"all attempts fail":          {codes: []int{500, 500, 500}, fails: "answered 500", waits: 3 * time.Second},
		"the server refuses":         {codes: []int{403}, fails: "answered 403"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				codes := c.codes
				server := rest.Endpoint{URL: "http://192.0.2.1/audit",
					HTTP: &http.Client{Transport: roundTripper(func() (*http.Response, error) {
						code := codes[0]
						codes = codes[1:]
						if code == 0 {
							return nil, errors.New("connection refused")
						}
						return answer(code)
					})}}
				began := time.Now()
				err := audit.NewWebhook(server, audit.WebhookOptions{Attempts: 3}).Write(t.Context(), events("a"))
				assert.Equal(t, c.waits, time.Since(began))
				assert.Empty(t, codes)
				if c.fails == "" {
					assert.NoError(t, err)
					return
				}
				assert.ErrorContains(t, err, c.fails)
				assert.NotContains(t, err.Error(), "secret")
			})
		})
	}
}

func TestWebhookStopsRepeatingWhenAShutdownDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := rest.Endpoint{URL: "http://192.0.2.1/audit",
			HTTP: &http.Client{Transport: roundTripper(func() (*http.Response, error) {
				cancel()
				return nil, errors.New("connection refused")
			})}}
		require.ErrorIs(t, audit.NewWebhook(server, audit.WebhookOptions{}).Write(ctx, events("a")), context.Canceled)
	})
}
