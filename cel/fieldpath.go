package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// memberPath leads to a member below a place.
type memberPath []member

// member is a property, or the key of a map.
type member struct {
	name  string
	isKey bool
}

func (p memberPath) below(at *status.Path) *status.Path {
	for _, m := range p {
		if m.isKey {
			at = at.Key(m.name)
		} else {
			at = at.Child(m.name)
		}
	}
	return at
}

// fieldPath reads the path of a member below a place: names behind a dot, or in brackets and single quotes. Each must
// be a property, or the key of a map. Elements of lists have no such path.
func fieldPath(s *schema.Schema, text string) (memberPath, error) {
	var path memberPath
	for text != "" {
		var name string
		var err error
		if name, text, err = nextName(text); err != nil {
			return nil, err
		}
		below := s.Member(name)
		if below == nil {
			return nil, errors.New("does not refer to a valid field")
		}
		path = append(path, member{name, s.Property(name) == nil})
		s = below
	}
	return path, nil
}

func nextName(text string) (name, rest string, err error) {
	switch text[0] {
	case '.':
		end := strings.IndexAny(text[1:], ".[")
		if end < 0 {
			end = len(text) - 1
		}
		if end == 0 {
			return "", "", errors.New("empty name")
		}
		return text[1 : 1+end], text[1+end:], nil
	case '[':
		if !strings.HasPrefix(text, "['") {
			return "", "", errors.New("expected a single quoted name in brackets")
		}
		var b strings.Builder
		for i := 2; i < len(text); i++ {
			switch {
			case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '\'' || text[i+1] == '\\'):
				i++
				b.WriteByte(text[i])
			case text[i] == '\\':
				return "", "", errors.New(`only \' and \\ can be escaped in a name`)
			case strings.HasPrefix(text[i:], "']"):
				return b.String(), text[i+2:], nil
			case text[i] == '\'':
				return "", "", errors.New("expected ] after a name in quotes")
			default:
				b.WriteByte(text[i])
			}
		}
		return "", "", errors.New("unexpected end")
	}
	return "", "", fmt.Errorf("expected [ or . but got: %s", text)
}
