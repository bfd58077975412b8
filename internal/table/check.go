package table

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// maxFieldsNamed bounds the fields that an error names.
const maxFieldsNamed = 20

// In returns the schema of the values to which the path leads in an object of the schema s. It is nil if s does not say
// what is there. The error says where the path leaves the schema.
func (p Path) In(s *schema.Schema) (*schema.Schema, error) {
	found, err := p.follow(s, "")
	if err != nil {
		return nil, fmt.Errorf("table: path %q: %w", p.text, err)
	}
	return found, nil
}

// follow takes all routes from s, which stands at the place at. It returns nil if there are several.
func (p Path) follow(s *schema.Schema, at string) (found *schema.Schema, err error) {
	if p.routes == nil {
		return s, nil
	}
	for _, steps := range p.routes {
		if found, err = follow(steps, s, at); err != nil {
			return nil, err
		}
	}
	if len(p.routes) > 1 {
		return nil, nil
	}
	return found, nil
}

// follow takes the steps from s, which stands at the place at.
func follow(steps []step, s *schema.Schema, at string) (*schema.Schema, error) {
	for _, next := range steps {
		from := s
		switch {
		case next.kind == toAnyDepth: // the schema does not say what is at any depth
			return nil, nil
		case next.kind == toMember:
			s = from.Member(next.key)
		default:
			if s = from.Items; s == nil && next.kind == toAll {
				s = from.Additional
			}
		}
		switch {
		case s == nil && (from.PreserveUnknown || from.Object != nil && next.kind == toAll): // the schema allows any value there
			return nil, nil
		case s == nil && next.kind == toMember:
			return nil, fmt.Errorf("%s has no field %q%s", cmp.Or(at, "the object"), next.key, fieldsOf(from))
		case s == nil:
			return nil, fmt.Errorf("%s is not a list", cmp.Or(at, "the object"))
		}
		if next.kind == toMember {
			at = strings.TrimPrefix(at+"."+next.key, ".")
		} else {
			at += "[]"
		}
		if next.kind == toMatching {
			for _, side := range []Path{next.filter.left, next.filter.rightPath} {
				if _, err := side.follow(s, at); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, nil
}

// fieldsOf lists the fields that an error suggests instead of an unknown one.
func fieldsOf(s *schema.Schema) string {
	if s.Object == nil || len(s.Object.Properties) == 0 {
		return ""
	}
	names := make([]string, 0, len(s.Object.Properties))
	for _, p := range s.Object.Properties {
		names = append(names, p.Name)
	}
	if len(names) > maxFieldsNamed {
		names = append(names[:maxFieldsNamed], "and others")
	}
	return ": it has " + strings.Join(names, ", ")
}
