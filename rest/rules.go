package rest

import "github.com/decorum-go/decorum/internal/rules"

// Rules are the validation rules of a kind, in the Common Expression Language. Only function New of module cel makes
// them. nil contains no rules. See [Resource].Rules.
type Rules interface{ rules.Rules }

// Evaluator evaluates expressions in the Common Expression Language that clients send, and expressions in the schema of
// a kind without a Go struct. Only function Evaluator of module cel returns one. nil evaluates nothing. See
// [Options].CEL and [Schema].CEL.
type Evaluator interface{ rules.Evaluator }

// CEL returns [Options.CEL], for plug-ins whose objects contain expressions.
func (a PluginAPI) CEL() Evaluator { return a.options.CEL }
