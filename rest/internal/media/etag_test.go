package media_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/media"
)

func TestHasTag(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		want   bool
	}{
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"the tag", []string{`"A1"`}, true},
		{"weak", []string{`W/"A1"`}, true},
		{"another", []string{`"A2"`}, false},
		{"another case", []string{`"a1"`}, false},
		{"not quoted", []string{`A1`}, false},
		{"open quote", []string{`"A1`}, false},
		{"weak in lower case", []string{`w/"A1"`}, false},
		{"list", []string{`"A0", W/"A1" ,"A2"`}, true},
		{"list with empty elements", []string{`,, "A0",	, "A1"`}, true},
		{"list with a comma in a tag", []string{`"A,", "x"`, `"A1"`}, true},
		{"the tag inside of another", []string{`"x,"A1","`}, false},
		{"several headers", []string{`"A0"`, `W/"A1"`}, true},
		{"any", []string{" * "}, true},
		{"any in a list", []string{`*, "A0"`}, false},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, media.HasTag(c.values, `"A1"`)) })
	}
}
