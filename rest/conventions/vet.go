package conventions

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/rest"
)

// Finding is one violation of the API conventions by a kind of the host.
type Finding struct {
	// Kind is the kind, such as "Widget". It includes the version if that is not the stored version, as in
	// "Widget.v1beta1", and also the group if that is not the group of the stored version, as in
	// "Widget.v1.old.example.com".
	Kind string
	// Field is the path of the field, such as "spec.users[].role". "[]" stands for the elements of a list and "{}" for the
	// values of a map. It is empty if the finding is about the kind as a whole.
	Field string
	// Rule is the rule that the field breaks, and Severity how strict it is.
	Rule     Rule
	Severity Severity
	// Section is the heading of the API conventions that states the rule.
	Section string
	// Page is the section of the documentation of this module that explains the rule, with right and wrong lines, such as
	// "docs/designing-kinds.md#conditions".
	Page string
	// At is where a CustomResourceDefinition describes the field, such as
	// "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size". It is empty for a Go type.
	At string
	// Reason says what is wrong and what to do.
	Reason string
}

// String returns the finding in one line, with its rule and its page.
func (f Finding) String() string {
	where := f.Kind
	if f.Field != "" {
		where += " " + f.Field
	}
	return fmt.Sprintf("%s: %s: %s (rule %s; %s; API conventions, %s)", where, f.Severity, f.Reason, f.Rule, f.Page,
		f.Section)
}

// Exception silences a rule for a field and all fields below it. It must state a reason, for the readers of the test.
type Exception struct {
	// Kind and Rule are those of the findings.
	Kind string
	Rule Rule
	// Field is the field of the findings, or a field above it: "status" silences "status.phase" too. Empty means the whole
	// kind.
	Field  string
	Reason string
}

// silences reports whether the exception covers a finding.
func (e *Exception) silences(f *Finding) bool {
	if e.Kind != f.Kind || e.Rule != f.Rule {
		return false
	}
	below, ok := strings.CutPrefix(f.Field, e.Field)
	return ok && (e.Field == "" || below == "" || strings.ContainsAny(below[:1], ".[{"))
}

// fault returns a sentence about the exception.
func (e *Exception) fault(what string) string {
	return fmt.Sprintf("the exception of %s %q from the rule %s %s", e.Kind, e.Field, e.Rule, what)
}

// Exceptions are the findings that [Exceptions.Vet] does not report.
type Exceptions []Exception

// TB is the test that Vet reports to, such as a *testing.T. It is an interface so that programs can use this package
// without linking package testing.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Vet checks the types of these resources, and of the host's subresources on them, against the API conventions, rule by
// rule: see [Rule]. Each finding fails the test with an error that names the field, the severity, the reason and the
// section of docs/designing-kinds.md. Vet checks the Go types and their tags, not what hooks do. A definition that
// [rest.New] refuses is a finding too, of the rule [RuleWorks].
//
// Vet does not check types of the Kubernetes modules and of this module. A host that has reasons to differ states them:
//
//	conventions.Exceptions{
//		{Kind: "Database", Field: "status.phase", Rule: conventions.RulePhase, Reason: "version 1 has it"},
//	}.Vet(t, databases())
func Vet(t TB, definitions ...rest.Definition) {
	t.Helper()
	Exceptions(nil).Vet(t, definitions...)
}

// Vet is [Vet] with exceptions. An exception without a reason, or one that silences nothing, fails the test.
func (e Exceptions) Vet(t TB, definitions ...rest.Definition) {
	t.Helper()
	left, faults := e.Apply(Findings(definitions...))
	for _, f := range left {
		t.Errorf("%s", f)
	}
	for _, fault := range faults {
		t.Errorf("%s", fault)
	}
}

// Apply returns the findings that no exception silences, and a sentence about each exception that has no reason or
// silences nothing.
func (e Exceptions) Apply(findings []Finding) (left []Finding, faults []string) {
	used := make([]bool, len(e))
	for _, f := range findings {
		silenced := false
		for i := range e {
			if e[i].silences(&f) {
				silenced, used[i] = true, true
			}
		}
		if !silenced {
			left = append(left, f)
		}
	}
	for i, x := range e {
		switch {
		case strings.TrimSpace(x.Reason) == "":
			faults = append(faults, x.fault("has no reason"))
		case !used[i]:
			faults = append(faults, x.fault("silences nothing"))
		}
	}
	return left, faults
}

// Findings returns the findings that [Vet] would report, kind by kind in the order of the definitions. It reports a
// type that a kind uses in several places once.
func Findings(definitions ...rest.Definition) []Finding {
	var out []Finding
	var kinds []*kind
	for _, d := range definitions {
		k, err := inspected(d)
		if err != nil {
			out = append(out, refused(k, err))
			continue
		}
		kinds = append(kinds, k)
	}
	return append(out, vetAll(kinds)...)
}

// refused returns the finding about a kind that the API does not accept.
func refused(k *kind, err error) Finding {
	return Finding{Kind: k.kind, Rule: RuleWorks, Severity: Must, Section: sectionTypes, Page: page + "#" + pageKinds,
		At: k.at, Reason: err.Error()}
}
