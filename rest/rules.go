package rest

import "github.com/decorum-go/decorum/internal/rules"

// Rules are the validation rules of a kind, in the Common Expression Language. Module cel makes them and links their evaluator;
// the host only passes them on. The zero value contains no rules.
type Rules struct{ set rules.Set }

func init() {
	rules.Seal = func(set rules.Set) any { return Rules{set} }
	rules.Open = func(sealed any) rules.Set { return sealed.(Rules).set }
}
