package resttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/rest"
)

// Finding is one place where a kind of the host's does not keep to the API conventions.
type Finding struct {
	// Kind is the kind in which it was found, "Widget"; in another version than the stored one "Widget.v1beta1".
	Kind string
	// Field is the path of the field, "spec.users[].role", with "[]" for the elements of a list and "{}" for the values of a
	// map. It is empty where the kind as a whole is meant.
	Field string
	// Rule is which of the rules was broken.
	Rule Rule
	// Section is the heading of the API conventions under which the rule stands.
	Section string
	// Reason says what is wrong and what to do.
	Reason string
}

// String is the finding in one line.
func (f Finding) String() string {
	where := f.Kind
	if f.Field != "" {
		where += " " + f.Field
	}
	return fmt.Sprintf("%s: %s (rule %s; API conventions, %s)", where, f.Reason, f.Rule, f.Section)
}

// Exception silences a rule for a field and all that is below it. It must have a reason, for whoever reads the test and
// wonders.
type Exception struct {
	// Kind and Rule are those of the findings.
	Kind string
	Rule Rule
	// Field is that of the finding, or leads to it: "status" silences "status.phase" too. Empty is the whole kind.
	Field  string
	Reason string
}

// silences reports whether a finding is meant.
func (e *Exception) silences(f *Finding) bool {
	if e.Kind != f.Kind || e.Rule != f.Rule {
		return false
	}
	below, ok := strings.CutPrefix(f.Field, e.Field)
	return ok && (e.Field == "" || below == "" || strings.ContainsAny(below[:1], ".[{"))
}

// Exceptions are what [Exceptions.Vet] is not to complain of.
type Exceptions []Exception

// Vet checks the types of these resources, and of the host's subresources on them, against the API conventions, rule by
// rule: see [Rule]. Each finding is an error of the test that names the field, the section and the reason. It looks at
// the Go types and their tags, not at what hooks do. What cannot work at all is an error of [rest.New], and is one here.
//
// Types from Kubernetes' own modules and from this one are taken as they are. Where a host has its reasons to differ, it
// says so:
//
//	resttest.Exceptions{
//		{Kind: "Database", Field: "spec.engine", Rule: resttest.RuleConstants, Reason: "the engines' own names"},
//	}.Vet(t, databases())
func Vet(t testing.TB, definitions ...rest.Definition) {
	t.Helper()
	Exceptions(nil).Vet(t, definitions...)
}

// Vet is [Vet] with exceptions. One without a reason, or that silences nothing, is an error of the test.
func (e Exceptions) Vet(t testing.TB, definitions ...rest.Definition) {
	t.Helper()
	used := make([]bool, len(e))
	for _, f := range Findings(definitions...) {
		silenced := false
		for i := range e {
			if e[i].silences(&f) {
				silenced, used[i] = true, true
			}
		}
		if !silenced {
			t.Errorf("%s", f)
		}
	}
	for i, x := range e {
		switch {
		case strings.TrimSpace(x.Reason) == "":
			t.Errorf("the exception of %s %q from the rule %s has no reason", x.Kind, x.Field, x.Rule)
		case !used[i]:
			t.Errorf("the exception of %s %q from the rule %s silences nothing", x.Kind, x.Field, x.Rule)
		}
	}
}

// Findings returns what [Vet] would complain of, kind by kind in the order of the definitions. A type that is used in
// several places of a kind is spoken of once.
func Findings(definitions ...rest.Definition) []Finding {
	var out []Finding
	var kinds []*kind
	for _, d := range definitions {
		k, err := inspected(d)
		if err != nil {
			out = append(out, Finding{Kind: k.name, Rule: RuleWorks, Section: sectionTypes, Reason: err.Error()})
			continue
		}
		kinds = append(kinds, k)
	}
	v := vetter{rules: allRules(), kinds: kindNames(kinds)}
	for _, k := range kinds {
		v.vet(k)
	}
	return append(out, v.findings...)
}
