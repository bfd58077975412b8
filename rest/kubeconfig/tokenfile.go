package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// reread is how old a token from a file may become before the file is read again. client-go uses the same time, less 10 seconds.
const reread = 50 * time.Second

// tokenFile reads the token of a file that another program keeps up to date.
type tokenFile struct {
	path string

	mu    sync.Mutex
	last  string
	until time.Time
}

// token implements [tokens]. If the file cannot be read, the last token still counts.
func (t *tokenFile) token(context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Before(t.until) {
		return t.last, nil
	}
	text, err := os.ReadFile(t.path)
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

// refused implements [tokens]. The file may already have another token.
func (t *tokenFile) refused(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == token {
		t.until = time.Time{}
	}
}
