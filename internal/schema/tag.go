package schema

import (
	"errors"
	"fmt"
	"strings"
)

// option is one option of an api tag: name, or name=value.
type option struct {
	name, value string
	hasValue    bool
}

// parseTag splits an api tag at its commas. A value in single quotes may contain commas; a quote inside it is doubled.
func parseTag(tag string) ([]option, error) {
	var options []option
	for rest := tag; rest != ""; {
		end := strings.IndexAny(rest, ",=")
		if end < 0 {
			end = len(rest)
		}
		o := option{name: strings.TrimSpace(rest[:end])}
		if o.name == "" {
			return nil, fmt.Errorf("the api tag %q has an option without a name", tag)
		}
		rest = rest[end:]
		if strings.HasPrefix(rest, "=") {
			o.hasValue = true
			var err error
			if o.value, rest, err = cutValue(rest[1:]); err != nil {
				return nil, fmt.Errorf("the api tag %q: option %s: %w", tag, o.name, err)
			}
		}
		options = append(options, o)
		switch {
		case rest == "":
		case rest == ",":
			return nil, fmt.Errorf("the api tag %q ends in a comma", tag)
		default:
			rest = rest[1:]
		}
	}
	return options, nil
}

// cutValue reads a value and returns the rest, which is empty or begins with a comma.
func cutValue(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, "'") {
		value, rest = s, ""
		if i := strings.IndexByte(s, ','); i >= 0 {
			value, rest = s[:i], s[i:]
		}
		return strings.TrimSpace(value), rest, nil
	}
	var b strings.Builder
	for s = s[1:]; ; {
		i := strings.IndexByte(s, '\'')
		if i < 0 {
			return "", "", errors.New("the value has no closing quote")
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if !strings.HasPrefix(s, "'") {
			break
		}
		b.WriteByte('\'')
		s = s[1:]
	}
	if s != "" && s[0] != ',' {
		return "", "", errors.New("a comma must follow the closing quote")
	}
	return b.String(), s, nil
}
