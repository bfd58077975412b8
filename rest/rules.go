package rest

import "github.com/decorum-go/decorum/internal/rules"

// Rules are the validation rules of a kind, in the Common Expression Language. Module cel makes them and links what evaluates
// them; a host only hands them on. The zero Rules are no rules.
type Rules struct{ set rules.Set }

func init() { rules.Seal = func(set rules.Set) any { return Rules{set} } }
