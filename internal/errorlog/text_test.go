package errorlog_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/errorlog"
)

func TestSafe(t *testing.T) {
	for name, c := range map[string]struct{ sent, want string }{
		"plain":       {"a b", "a b"},
		"line break":  {"a\nb", `a\nb`},
		"no UTF-8":    {"a\xff", `a\xff`},
		"long":        {strings.Repeat("a", 20), "aaaaaaaaaa…"},
		"long escape": {strings.Repeat("\u2028", 3), `\u2028…`},
	} {
		assert.Equal(t, c.want, errorlog.Safe(c.sent, 10), name)
	}
}

func TestBound(t *testing.T) {
	err := errorlog.Bound(&fs.PathError{Op: "open", Path: strings.Repeat("a\n", 10_000), Err: errors.New("gone")})
	assert.Less(t, len(err.Error()), 5000)
	assert.NotContains(t, err.Error(), "\n")
	_, found := errors.AsType[*fs.PathError](err)
	assert.True(t, found, "handlers find the error itself")
}
