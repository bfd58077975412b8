package rest

import "github.com/decorum-go/decorum/internal/rules"

// Rules are validation rules in the Common Expression Language, with their evaluator. Module cel makes them, and the
// host only passes them on. nil contains no rules. [New] refuses Rules of any other origin.
type Rules interface {
	// Language returns the name of the language, "CEL".
	Language() string
}

// CEL returns [Options.CEL], for plug-ins whose objects contain expressions.
func (a *API) CEL() Rules { return a.options.CEL }

// setOf returns the set that evaluates rules. It returns an error if the rules are not of module cel.
func setOf(r Rules) (rules.Set, error) { return rules.Open(r) }
