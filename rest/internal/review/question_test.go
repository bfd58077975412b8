package review_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/review"
)

// A review is about the access that was asked for, or about more objects where a review cannot express a selector.
func TestAbout(t *testing.T) {
	user := access.User{Name: "alice", UID: "7", Groups: []string{"a"}, Extra: map[string][]string{"k": {"v"}}}
	for _, c := range []struct{ name, labels, fields, askedLabels, askedFields string }{
		{"no selectors", "", "", "", ""},
		{"all operators", "a=b,c!=d,e,!f,g in (h,i),j notin (k,l)", "metadata.name=x,spec.size!=3",
			"a in (b),c notin (d),e,!f,g in (h,i),j notin (k,l)", "metadata.name=x,spec.size!=3"},
		{"comparisons", "a>3,b=c", "", "b in (c)", ""},
		{"escapes", "", `a=b\,c\=d`, "", `a=b\,c\=d`},
		{"an empty value", "a=", "b=", "a in ()", "b="},
		{"invalid selectors", "a===", "no operator", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := access.Access{User: user, Verb: "list", Group: "example.com", Version: "v1", Resource: "gears",
				Subresource: "s", Namespace: "n", Name: "x", LabelSelector: c.labels, FieldSelector: c.fields}
			spec := review.About(asked)
			assert.Equal(t, user, access.User{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: spec.Extra})
			want := asked
			want.User, want.LabelSelector, want.FieldSelector = access.User{}, c.askedLabels, c.askedFields
			assert.Equal(t, want, spec.Asked())
			assert.Empty(t, spec.Check())
		})
	}
	path := access.Access{User: user, Verb: "get", Path: "/metrics"}
	spec := review.About(path)
	path.User = access.User{}
	assert.Equal(t, path, spec.Asked())
	assert.Empty(t, spec.Check())
}
