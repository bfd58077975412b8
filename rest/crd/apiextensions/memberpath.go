package apiextensions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// memberPath is a path that memberAt has followed.
type memberPath struct {
	first string // the first name
	text  *status.Path
}

// memberAt follows a path such as .spec.color or .labels['a.b'] through a schema. Only properties and values of maps
// have paths.
func memberAt(s *JSONSchemaProps, text string, brackets bool) (path memberPath, found *JSONSchemaProps, err error) {
	tokens := tokensOf(text)
	for len(tokens) > 0 {
		var name string
		switch {
		case tokens[0] == "[" && !brackets:
			return path, nil, errors.New("array notation is not allowed")
		case tokens[0] == "[":
			if name, err = quotedName(tokens); err != nil {
				return path, nil, err
			}
		case tokens[0] != ".":
			return path, nil, fmt.Errorf("expected [ or . but got: %s", tokens[0])
		case len(tokens) == 1:
			return path, nil, errors.New("unexpected end of JSON path")
		default:
			name = tokens[1]
		}
		if s, path.text, err = s.member(name, path.text); err != nil {
			return path, nil, err
		}
		if path.first == "" {
			path.first = name
		}
		if tokens[0] == "[" {
			if err := closed(tokens); err != nil {
				return path, nil, err
			}
			tokens = tokens[3:]
		} else {
			tokens = tokens[2:]
		}
	}
	return path, s, nil
}

// member returns the schema of a property or of a value of a map, and its path below at.
func (s *JSONSchemaProps) member(name string, at *status.Path) (*JSONSchemaProps, *status.Path, error) {
	if len(s.Properties) > 0 {
		if below, ok := s.Properties[name]; ok {
			return &below, at.Child(name), nil
		}
	} else if s.AdditionalProperties != nil {
		below := s.AdditionalProperties.Schema
		if below == nil {
			below = &JSONSchemaProps{}
		}
		return below, at.Key(name), nil
	}
	return nil, nil, errors.New("does not refer to a valid field")
}

// quotedName reads the name behind an opening bracket.
func quotedName(tokens []string) (string, error) {
	if len(tokens) < 2 {
		return "", errors.New("unexpected end of JSON path")
	}
	quoted := tokens[1]
	if len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' {
		return "", fmt.Errorf("expected single quoted string but got %s", quoted)
	}
	return unescape(quoted[1 : len(quoted)-1])
}

// unescape resolves the escapes of a quoted name.
func unescape(text string) (string, error) {
	escapes := map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\'': '\'',
		'\\': '\\'}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		char, ok := escapes[text[i]]
		if !ok {
			return "", fmt.Errorf("invalid string literal: invalid escape char \\%c", text[i])
		}
		b.WriteByte(char)
	}
	return b.String(), nil
}

// closed checks that a closing bracket follows the quoted name.
func closed(tokens []string) error {
	switch {
	case len(tokens) < 3:
		return errors.New("unexpected end of JSON path")
	case tokens[2] != "]":
		return fmt.Errorf("expected ] but got %s", tokens[2])
	}
	return nil
}

// tokensOf splits a path into dots, brackets, and the texts between them. A text in single quotes may contain dots and
// brackets.
func tokensOf(text string) (tokens []string) {
	for text != "" {
		end := strings.IndexAny(text, ".[]")
		switch {
		case text[0] == '\'':
			end = len(text)
			for i := 1; i < len(text); i++ {
				if text[i] == '\'' && text[i-1] != '\\' {
					end = i + 1
					break
				}
			}
		case end == 0:
			end = 1
		case end < 0:
			end = len(text)
		}
		tokens, text = append(tokens, text[:end]), text[end:]
	}
	return tokens
}
