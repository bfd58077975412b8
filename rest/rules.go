package rest

import "github.com/decorum-go/decorum/internal/rules"

// Rules are the validation rules of a kind, in the Common Expression Language. Function New of module cel makes them,
// and nothing else does. nil contains no rules. See [Resource].Rules.
type Rules interface{ rules.Rules }

// Evaluator evaluates expressions in the Common Expression Language that the host has not written: those of clients,
// and those in the schema of a kind without a Go struct. Function Evaluator of module cel returns it, and nothing else
// does. nil evaluates nothing. See [Options].CEL and [Schema].CEL.
type Evaluator interface{ rules.Evaluator }

// CEL returns [Options.CEL], for plug-ins whose objects contain expressions.
func (a PluginAPI) CEL() Evaluator { return a.options.CEL }
