package patch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// pointer is a JSON pointer (RFC 6901): the tokens on the way from the root, which itself has none.
type pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer reads a pointer. As upstream it lets a tilde stand for itself where no escape follows. It does insist on
// the leading slash: upstream silently drops what stands before the first one, and would write to another place than the
// client named.
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

// parent splits the last token off.
func (p pointer) parent() (pointer, string) { return p[:len(p)-1], p[len(p)-1] }

// index reads a token as an index below limit. Negative ones count from the limit, -1 being the last; upstream takes
// them, though RFC 6902 does not know them.
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
