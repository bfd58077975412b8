package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/smallfile"
)

// reread is the maximum age of a token before tokenFile reads the file again. client-go rereads 10 seconds before the
// end of a minute.
const reread = 50 * time.Second

// tokenFile reads a token from a file that another program updates.
type tokenFile struct {
	path string

	mu    sync.Mutex
	last  string
	until time.Time
}

// token implements [tokens]. If it cannot read the file, it returns the last token.
func (t *tokenFile) token(context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Before(t.until) {
		return t.last, nil
	}
	text, err := smallfile.Read(t.path)
	token := strings.TrimSpace(string(text))
	if err == nil && token == "" {
		err = errors.New(t.path + " is empty")
	}
	if err != nil && t.last == "" {
		return "", fmt.Errorf("tokenFile: %w", err)
	}
	if err == nil {
		t.last, t.until = token, time.Now().Add(reread)
	}
	return t.last, nil
}

// refused implements [tokens]. The next call of token reads the file again, because it may contain a new token.
func (t *tokenFile) refused(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == token {
		t.until = time.Time{}
	}
}
