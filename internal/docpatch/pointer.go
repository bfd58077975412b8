package docpatch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// pointer is a JSON pointer (RFC 6901), as the tokens of the path. The root has no tokens.
type pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer reads a pointer. As upstream, it reads a tilde that begins no escape as itself. Unlike upstream, it
// requires the leading slash: upstream silently drops the text before the first slash, and so writes to another place
// than the client named.
func parsePointer(text string) (pointer, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("%w: a path begins with a slash", ErrMalformed)
	}
	tokens := strings.SplitN(text[1:], "/", doc.MaxDepth+1)
	if len(tokens) > doc.MaxDepth {
		return nil, ErrMissing // no document is that deep
	}
	for i, token := range tokens {
		if strings.Contains(token, "~") {
			tokens[i] = unescape.Replace(token)
		}
	}
	return tokens, nil
}

// parent returns the pointer without its last token, and that token.
func (p pointer) parent() (pointer, string) { return p[:len(p)-1], p[len(p)-1] }

// index reads a token as an index below limit. A negative index counts from the limit, so -1 is the last; upstream
// accepts it, although RFC 6902 does not.
func index(token string, limit int) (int, error) {
	i, err := strconv.Atoi(token)
	if i < 0 {
		i += limit
	}
	if err != nil || i < 0 || i >= limit {
		return 0, ErrIndex
	}
	return i, nil
}
