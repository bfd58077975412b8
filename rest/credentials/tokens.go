package credentials

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/smallfile"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
)

// checkEvery is how long a change of the file may go unnoticed.
const checkEvery = time.Second

// Tokens recognizes bearer tokens that a file lists. It is a [access.Authenticator]. The file is a list in YAML or JSON:
//
//	# tokens.yaml
//	- token: bdVTOYVSRKBHTYKEEQ3BXEAFUM
//	  user: alice
//	  groups: [team-a]
//	  expires: 2027-01-01T00:00:00Z
//	- token: NX3H6RTSQ6YTMSOHEGVPO6HC3U
//	  user: root
//	  groups: [platform-admins]
//
// A token needs token and user; it may have uid, groups, extra (a map from a name to a list) and expires. Without
// expires, it does not expire.
//
// A change of the file counts one second later, at the latest. Watches and streams that were opened with a token end
// when the token expires or is taken out of the file, or when its user changes. While the file is missing or wrong,
// the tokens that were read last remain valid, and the error is logged once.
type Tokens struct {
	path   string
	logger *slog.Logger
	bearer access.Authenticator

	mu      sync.Mutex
	version fileVersion
	checked time.Time
	failure string // that was logged last
	known   map[[sha256.Size]byte]entry
	open    map[*session]struct{}
	unwatch context.CancelFunc // ends the goroutine that looks for changes; nil if no session is open
}

// entry is one token of the file.
type entry struct {
	Token   string              `json:"token"`
	User    string              `json:"user"`
	UID     string              `json:"uid"`
	Groups  []string            `json:"groups"`
	Extra   map[string][]string `json:"extra"`
	Expires time.Time           `json:"expires"`
}

// session is a watch or a stream that was opened with a token.
type session struct {
	sum  [sha256.Size]byte
	user string
	end  func()
}

// fileVersion tells one state of a file from another. Programs replace files of credentials, so the file itself is
// another one.
type fileVersion struct {
	info os.FileInfo
}

func (v fileVersion) same(info os.FileInfo) bool {
	return v.info != nil && os.SameFile(v.info, info) && v.info.ModTime().Equal(info.ModTime()) &&
		v.info.Size() == info.Size()
}

// OpenTokens reads the file. It returns an error if the file cannot be read, or if an entry is wrong or a token
// occurs twice; the error does not contain tokens. It starts no goroutine: from the first watch or stream on until
// the last one ends, a goroutine looks for changes of the file, and otherwise each request does.
func OpenTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path, logger: slog.Default(), open: map[*session]struct{}{}}
	t.bearer = auth.Bearer(t.check)
	if err := t.read(); err != nil {
		return nil, err
	}
	return t, nil
}

// Authenticate implements [access.Authenticator].
func (t *Tokens) Authenticate(r *http.Request) (*access.Identity, error) {
	return t.bearer.Authenticate(r)
}

// check finds the user of a token. The map is keyed by a hash, so how long the search takes says nothing about the
// tokens in it.
func (t *Tokens) check(_ context.Context, token string) (*access.Identity, error) {
	sum := sha256.Sum256([]byte(token))
	t.mu.Lock()
	t.refresh()
	e, found := t.known[sum]
	t.mu.Unlock()
	if !found {
		return nil, nil
	}
	if !e.Expires.IsZero() && !time.Now().Before(e.Expires) {
		return nil, errors.New("the token has expired")
	}
	return &access.Identity{
		User: access.User{Name: e.User, UID: e.UID, Groups: e.Groups, Extra: e.Extra}, Expires: e.Expires,
		OnRevoked: func(end func()) (stop func()) { return t.register(&session{sum, e.who(), end}) },
	}, nil
}

// who describes the user of an entry. A session ends when this changes.
func (e entry) who() string { return fmt.Sprintf("%q %q %q %q", e.User, e.UID, e.Groups, e.Extra) }

// refresh reads the file if it has changed. The caller holds the lock.
func (t *Tokens) refresh() {
	now := time.Now()
	if now.Sub(t.checked) < checkEvery {
		return
	}
	t.checked = now
	if err := t.read(); err != nil {
		if err.Error() != t.failure {
			t.logger.Error("the tokens that were read last remain valid", "error", err)
		}
		t.failure = err.Error()
		return
	}
	t.failure = ""
}

// read reads the file if it is another one than before, and ends the sessions whose tokens are gone. The caller holds
// the lock.
func (t *Tokens) read() error {
	info, err := os.Stat(t.path)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	if t.version.same(info) {
		return nil
	}
	known, err := readTokens(t.path)
	if err != nil {
		return fmt.Errorf("credentials: %s: %w", t.path, err)
	}
	t.known, t.version = known, fileVersion{info}
	for one := range t.open {
		t.endIfRevoked(one)
	}
	return nil
}

func readTokens(path string) (map[[sha256.Size]byte]entry, error) {
	text, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	var entries []entry
	if err := yaml.UnmarshalStrict(text, &entries); err != nil {
		return nil, errors.New("the file must be a list of entries with the fields token, user, uid, groups, extra and expires")
	}
	known := map[[sha256.Size]byte]entry{}
	for i, e := range entries {
		sum := sha256.Sum256([]byte(e.Token))
		switch {
		case e.Token == "":
			return nil, fmt.Errorf("entry %d: token is missing", i+1)
		case e.User == "":
			return nil, fmt.Errorf("entry %d: user is missing", i+1)
		case known[sum].User != "":
			return nil, fmt.Errorf("entry %d: the token of %q belongs to %q too", i+1, e.User, known[sum].User)
		}
		e.Token = ""
		known[sum] = e
	}
	return known, nil
}

// register remembers a session. The first one starts a goroutine that looks for changes, because no request may come
// that would.
func (t *Tokens) register(one *session) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[one] = struct{}{}
	if t.unwatch == nil {
		var ctx context.Context
		ctx, t.unwatch = context.WithCancel(context.Background())
		go t.watch(ctx)
	}
	t.endIfRevoked(one) // the file may have changed since the request was authenticated
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.forget(one)
	}
}

// endIfRevoked ends a session if its token is gone or belongs to another user. The caller holds the lock.
func (t *Tokens) endIfRevoked(one *session) {
	if e, found := t.known[one.sum]; found && e.who() == one.user {
		return
	}
	t.forget(one)
	go one.end() // may call the function that register returned, which needs the lock
}

// forget removes a session. The last one ends the goroutine that looks for changes. The caller holds the lock.
func (t *Tokens) forget(one *session) {
	delete(t.open, one)
	if len(t.open) == 0 && t.unwatch != nil {
		t.unwatch()
		t.unwatch = nil
	}
}

// watch looks for changes until ctx ends.
func (t *Tokens) watch(ctx context.Context) {
	ticks := time.NewTicker(checkEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			t.mu.Lock()
			t.refresh()
			t.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}
