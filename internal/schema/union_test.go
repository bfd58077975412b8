package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

type strategy struct {
	Type     string    `json:"type,omitempty" api:"discriminator,enum=Recreate|RollingUpdate|Blue"`
	Rolling  *rolling  `json:"rollingUpdate,omitempty" api:"member"`
	Coloured *coloured `json:"coloured,omitempty" api:"member=Blue"`

	File *string `json:"file,omitempty" api:"member,union=source"`
	URL  *string `json:"url,omitempty" api:"member,union=source"`
}

type rolling struct {
	Surge int `json:"surge,omitempty"`
}

type coloured struct {
	Shade string `json:"shade,omitempty"`
}

func TestUnions(t *testing.T) {
	s := derive[strategy](t)
	const file = `, file: x`
	for _, test := range []struct{ name, in, want string }{
		{"the member of the discriminator", `{type: RollingUpdate, rollingUpdate: {}` + file, ``},
		{"the member under its declared value", `{type: Blue, coloured: {}` + file, ``},
		{"a value without a member", `{type: Recreate` + file, ``},
		{"the member is missing", `{type: RollingUpdate` + file,
			"rollingUpdate: Invalid value: \"\": must be specified when `type` is \"RollingUpdate\""},
		{"another member", `{type: Recreate, coloured: {}` + file,
			"coloured: Invalid value: \"\": may only be specified when `type` is \"Blue\""},
		{"without the discriminator", `{coloured: {}` + file,
			"coloured: Invalid value: \"\": may only be specified when `type` is \"Blue\""},
		{"two members for one value", `{type: Blue, rollingUpdate: {}` + file,
			"coloured: Invalid value: \"\": must be specified when `type` is \"Blue\"; " +
				"rollingUpdate: Invalid value: \"\": may only be specified when `type` is \"RollingUpdate\""},
		{"no member of a union without a discriminator", `{type: Recreate`,
			"<nil>: Invalid value: \"\": must specify one of: `file`, `url`"},
		{"both", `{type: Recreate, file: x, url: y`,
			"<nil>: Invalid value: \"{file, url}\": must specify exactly one of: `file`, `url`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.in+"}")
			assert.Equal(t, test.want, strings.Join(texts(s.Validate(nil, v)), "; "))
			assert.Empty(t, checkUpdate(s, v, v), "unchanged")
		})
	}
	t.Run("an update may keep an old violation while it changes other fields", func(t *testing.T) {
		old := parse(t, `{type: Blue, coloured: {}, rollingUpdate: {surge: 1}}`)
		assert.Empty(t, checkUpdate(s, parse(t, `{type: Blue, coloured: {}, rollingUpdate: {surge: 2}}`), old))
		assert.NotEmpty(t, checkUpdate(s, parse(t, `{type: Blue, rollingUpdate: {surge: 2}}`), old))
	})
}

func TestUnionsOfAtMostOne(t *testing.T) {
	s := derive[struct {
		File *string `json:"file,omitempty" api:"member,atMostOne"`
		URL  *string `json:"url,omitempty" api:"member"`
		Note string  `json:"note,omitempty"`
	}](t)
	for in, want := range map[string]string{
		`{}`:                "",
		`{note: x}`:         "",
		`{file: x}`:         "",
		`{url: y}`:          "",
		`{file: x, url: y}`: "<nil>: Invalid value: \"{file, url}\": must specify at most one of: `file`, `url`",
	} {
		assert.Equal(t, want, strings.Join(texts(s.Validate(nil, parse(t, in))), "; "), in)
	}
	both := parse(t, `{file: x, url: y}`)
	assert.Empty(t, checkUpdate(s, parse(t, `{file: x, url: y, note: z}`), both), "an update may keep both")
	assert.NotEmpty(t, checkUpdate(s, both, parse(t, `{file: x}`)))
	assert.True(t, s.Object.Unions()[0].AtMostOne)
	exact := derive[struct {
		File *string `json:"file,omitempty" api:"member"`
		URL  *string `json:"url,omitempty" api:"member"`
		Note string  `json:"note,omitempty"`
	}](t)
	assert.NotEqual(t, exact.Fingerprint(), s.Fingerprint())
}

func TestReconcile(t *testing.T) {
	type part struct {
		Name string `json:"name"`
		Port int    `json:"port,omitempty" api:"immutable,default=80"`
	}
	s := derive[struct {
		Class    string            `json:"class,omitempty" api:"immutable,default=standard"`
		Fixed    string            `json:"fixed,omitempty" api:"immutable"`
		Strategy *strategy         `json:"strategy,omitempty"`
		Parts    []part            `json:"parts,omitempty" api:"list=map,key=name"`
		Named    map[string]*part  `json:"named,omitempty"`
		Labels   map[string]string `json:"labels,omitempty"`
		Steps    []struct {
			Strategy strategy `json:"strategy,omitzero"`
			Class    string   `json:"class,omitempty" api:"immutable,default=standard"`
		} `json:"steps,omitempty" api:"list=atomic"`
		Waves []strategy `json:"waves,omitempty"`
	}](t)
	for _, test := range []struct{ name, old, next, want string }{
		{"an immutable field with a default stays", `{class: fast}`, `{}`, `{"class":"fast"}`},
		{"an immutable field with a default stays if it is null", `{class: fast}`, `{class: null}`, `{"class":"fast"}`},
		{"an immutable field that is set is not replaced", `{class: fast}`, `{class: slow}`, `{"class":"slow"}`},
		{"an immutable field without a default is not restored", `{fixed: a}`, `{}`, `{}`},
		{"in an element", `{parts: [{name: a, port: 81}, {name: b, port: 82}]}`, `{parts: [{name: b}, {name: c}]}`,
			`{"parts":[{"name":"b","port":82},{"name":"c"}]}`},
		{"in a map", `{named: {x: {name: a, port: 81}}}`, `{named: {x: {name: a}, z: {name: a}}}`,
			`{"named":{"x":{"name":"a","port":81},"z":{"name":"a"}}}`},
		{"an unchanged member is dropped with the discriminator",
			`{strategy: {type: RollingUpdate, rollingUpdate: {surge: 1}}}`,
			`{strategy: {type: Recreate, rollingUpdate: {surge: 1}}}`, `{"strategy":{"type":"Recreate"}}`},
		{"the new member stays", `{strategy: {type: RollingUpdate, rollingUpdate: {surge: 1}}}`,
			`{strategy: {type: Blue, coloured: {}, rollingUpdate: {surge: 1}}}`, `{"strategy":{"coloured":{},"type":"Blue"}}`},
		{"a changed member stays and is rejected later", `{strategy: {type: RollingUpdate, rollingUpdate: {surge: 1}}}`,
			`{strategy: {type: Recreate, rollingUpdate: {surge: 2}}}`,
			`{"strategy":{"rollingUpdate":{"surge":2},"type":"Recreate"}}`},
		{"the same discriminator", `{strategy: {type: Blue, rollingUpdate: {}}}`,
			`{strategy: {type: Blue, rollingUpdate: {}}, labels: {a: b}}`,
			`{"labels":{"a":"b"},"strategy":{"rollingUpdate":{},"type":"Blue"}}`},
		{"a discriminator in a list without keys",
			`{waves: [{type: Recreate}, {type: RollingUpdate, rollingUpdate: {surge: 1}}]}`,
			`{waves: [{type: Recreate}, {type: Blue, coloured: {}, rollingUpdate: {surge: 1}}]}`,
			`{"waves":[{"type":"Recreate"},{"coloured":{},"type":"Blue"}]}`},
		{"a discriminator alone in a list without keys", `{waves: [{type: RollingUpdate, rollingUpdate: {surge: 1}}]}`,
			`{waves: [{type: Recreate, rollingUpdate: {surge: 1}}]}`, `{"waves":[{"type":"Recreate"}]}`},
		{"a discriminator below an element of an atomic list",
			`{steps: [{strategy: {type: RollingUpdate, rollingUpdate: {surge: 1}}, class: fast}]}`,
			`{steps: [{strategy: {type: Recreate, rollingUpdate: {surge: 1}}}]}`,
			`{"steps":[{"strategy":{"type":"Recreate"}}]}`},
		{"a changed member in a list without keys", `{waves: [{type: RollingUpdate, rollingUpdate: {surge: 1}}]}`,
			`{waves: [{type: Recreate, rollingUpdate: {surge: 2}}]}`,
			`{"waves":[{"rollingUpdate":{"surge":2},"type":"Recreate"}]}`},
		{"a list without keys that becomes longer", `{waves: [{type: RollingUpdate, rollingUpdate: {surge: 1}}]}`,
			`{waves: [{type: Recreate, rollingUpdate: {surge: 1}}, {type: Recreate}]}`,
			`{"waves":[{"rollingUpdate":{"surge":1},"type":"Recreate"},{"type":"Recreate"}]}`},
		{"another type", `{parts: [{name: a}]}`, `{parts: {a: b}}`, `{"parts":{"a":"b"}}`},
		{"no old value", `{}`, `{parts: [{name: a}]}`, `{"parts":[{"name":"a"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := s.Reconcile(parse(t, test.next), parse(t, test.old))
			assert.Equal(t, test.want, show(got))
			assert.Equal(t, show(got), show(s.Reconcile(got, parse(t, test.old))), "once more")
		})
	}
}

// An update may keep an old violation. internal/test/oracle compares this with kube-apiserver.
func TestRatcheting(t *testing.T) {
	s := derive[struct {
		Name  string   `json:"name,omitempty" api:"maxLength=3"`
		Other string   `json:"other,omitempty" api:"maxLength=3"`
		Tags  []string `json:"tags,omitempty" api:"list=set,items.maxLength=3"`
		Parts []Part   `json:"parts,omitempty" api:"list=map,key=name"`
		Needs *struct {
			A string `json:"a,omitempty" api:"required"`
			B string `json:"b,omitempty"`
		} `json:"needs,omitempty"`
	}](t)
	for _, test := range []struct{ name, old, next, want string }{
		{"another field", `{name: long}`, `{name: long, other: x}`, ``},
		{"the field itself", `{name: long}`, `{name: longer}`, `name: Too long: may not be more than 3 bytes`},
		{"a new fault beside an old one", `{name: long}`, `{name: long, other: long}`,
			`other: Too long: may not be more than 3 bytes`},
		{"an element by its key", `{parts: [{name: a, kind: screw}]}`, `{parts: [{name: b}, {name: a, kind: screw}]}`, ``},
		{"an element with another key", `{parts: [{name: a, kind: screw}]}`, `{parts: [{name: b, kind: screw}]}`,
			`parts[0].kind: Unsupported value: "screw": supported values: "bolt", "nut"`},
		{"elements without a key are always checked", `{tags: [long]}`, `{tags: [long, x]}`,
			`tags[0]: Too long: may not be more than 3 bytes`},
		{"an unchanged list is accepted", `{tags: [long]}`, `{tags: [long], other: x}`, ``},
		{"a missing member", `{needs: {b: x}}`, `{needs: {b: y}}`, `needs.a: Required value`},
		{"a missing member of an unchanged value", `{needs: {b: x}}`, `{needs: {b: x}, other: x}`, ``},
		{"duplicates in a list that had duplicates", `{tags: [a, a]}`, `{tags: [b, b]}`, ``},
		{"new duplicates", `{tags: [a]}`, `{tags: [b, b]}`, `tags[1]: Duplicate value: "b"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, strings.Join(texts(checkUpdate(s, parse(t, test.next), parse(t, test.old))), "; "))
		})
	}
}

func TestSafeInteger(t *testing.T) {
	s := derive[struct {
		A int64 `json:"a,omitempty" api:"safeInteger"`
		B int64 `json:"b,omitempty" api:"min=0,safeInteger"`
	}](t)
	for in, want := range map[string]string{
		`{a: 9007199254740991, b: 0}`: ``,
		`{a: -9007199254740991}`:      ``,
		`{a: 9007199254740992}`:       `a: Invalid value: 9007199254740992: a in body should be less than or equal to 9007199254740991`,
		`{a: -9007199254740992}`:      `a: Invalid value: -9007199254740992: a in body should be greater than or equal to -9007199254740991`,
		`{b: -1}`:                     `b: Invalid value: -1: b in body should be greater than or equal to 0`,
	} {
		assert.Equal(t, want, strings.Join(texts(s.Validate(nil, parse(t, in))), "; "), in)
	}
}
