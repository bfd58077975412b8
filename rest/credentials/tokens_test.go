package credentials_test

import (
	"log/slog"
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

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/credentials"
)

// replace replaces a file as programs do that keep credentials up to date.
func replace(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

func opened(t *testing.T, text string) (path string, tokens *credentials.Tokens) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.yaml")
	replace(t, path, text)
	tokens, err := credentials.OpenTokens(path)
	require.NoError(t, err)
	return path, tokens
}

// who asks for the user of a token.
func who(tokens *credentials.Tokens, token string) (*access.Identity, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return tokens.Authenticate(r)
}

// askUntil asks for the user of a token once a second until happened returns true. A bubble has its own time, so this
// takes none.
func askUntil(t *testing.T, tokens *credentials.Tokens, token string, happened func(known bool) bool) {
	t.Helper()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for range 60 {
		if happened(knows(tokens, token)) {
			return
		}
		<-second.C
	}
	t.Fatal("it has not happened in a minute")
}

func knows(tokens *credentials.Tokens, token string) bool {
	got, err := who(tokens, token)
	return got != nil && err == nil
}

func known(known bool) bool { return known }

func unknown(known bool) bool { return !known }

func TestTokens(t *testing.T) {
	_, tokens := opened(t, `
- {token: one, user: alice, uid: "7", groups: [team-a], extra: {floor: ["3"]}}
- {token: old, user: bob, expires: 2001-01-01T00:00:00Z}
- {token: new, user: bob, expires: 2101-01-01T00:00:00Z}
`)
	got, err := who(tokens, "one")
	require.NoError(t, err)
	assert.Equal(t, access.User{Name: "alice", UID: "7", Groups: []string{"team-a"},
		Extra: map[string][]string{"floor": {"3"}}}, got.User)
	assert.Zero(t, got.Expires)

	got, err = who(tokens, "new")
	require.NoError(t, err)
	assert.Equal(t, time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC), got.Expires)

	_, err = who(tokens, "old")
	require.ErrorContains(t, err, "expired")
	_, err = who(tokens, "guess")
	require.Error(t, err)
	got, err = who(tokens, "")
	require.NoError(t, err)
	assert.Nil(t, got, "a request without a token is somebody else's to recognize")
}

func TestTokensRefuseWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, text, err string }{
		{"not a list", "token: secret", "must be a list of entries"},
		{"unknown field", "[{token: secret, user: a, name: b}]", "must be a list of entries"},
		{"no token", "[{user: a}]", "entry 1: token is missing"},
		{"no user", "[{token: secret, user: a}, {token: other}]", "entry 2: user is missing"},
		{"same token twice", "[{token: secret, user: a}, {token: secret, user: b}]",
			`entry 2: the token of "b" belongs to "a" too`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens.yaml")
			replace(t, path, c.text)
			_, err := credentials.OpenTokens(path)
			require.ErrorContains(t, err, c.err)
			assert.Contains(t, err.Error(), path)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := credentials.OpenTokens(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTokensReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		failures := func(n int) func(bool) bool {
			return func(bool) bool { return strings.Count(log.String(), "level=ERROR") == n }
		}
		path, tokens := opened(t, "[{token: one, user: alice}]")
		require.True(t, knows(tokens, "one"))
		replace(t, path, "[{token: two, user: alice}]")
		askUntil(t, tokens, "two", known)
		assert.False(t, knows(tokens, "one"))

		replace(t, path, "a mistake")
		askUntil(t, tokens, "two", failures(1))
		assert.True(t, knows(tokens, "two"), "a wrong file changes nothing")
		require.NoError(t, os.Remove(path))
		askUntil(t, tokens, "two", failures(2))
		assert.True(t, knows(tokens, "two"), "a missing file changes nothing")
		replace(t, path, "[{token: three, user: alice}]")
		askUntil(t, tokens, "three", known)
	})
}

// Watches end when their token is taken out of the file, although no request comes.
func TestTokensRevoked(t *testing.T) {
	for _, c := range []struct {
		name, next string
		ends       bool
	}{
		{"token is gone", "[]", true},
		{"token has another user", "[{token: one, user: mallory}]", true},
		{"user has other groups", "[{token: one, user: alice, groups: [team-b]}]", true},
		{"file has another token", "[{token: one, user: alice}, {token: two, user: bob}]", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path, tokens := opened(t, "[{token: one, user: alice}]")
				got, err := who(tokens, "one")
				require.NoError(t, err)
				ended := make(chan struct{})
				stop := got.OnRevoked(func() { close(ended) })
				replace(t, path, c.next)
				if c.ends {
					<-ended
				} else {
					askUntil(t, tokens, "two", known)
					synctest.Wait()
					assert.False(t, closed(ended))
				}
				stop() // the goroutine that looks for changes ends, or the bubble would not
			})
		})
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// The file may change between the request and the start of its watch.
func TestTokensRevokedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, tokens := opened(t, "[{token: one, user: alice}]")
		got, err := who(tokens, "one")
		require.NoError(t, err)
		replace(t, path, "[]")
		askUntil(t, tokens, "one", unknown)
		ended := make(chan struct{})
		got.OnRevoked(func() { close(ended) })
		<-ended
	})
}
