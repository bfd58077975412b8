package rest

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// Rules are validation rules in a language of their own. Module cel makes them, of expressions in the Common Expression
// Language, and links what evaluates them.
type Rules interface {
	// Declared returns the rules by Go type or field, with keys like those of [Resource.Overlay].
	Declared() map[string][]schema.Rule
	// Compile checks the rules that a schema carries against it.
	Compile(s *schema.Schema) (RuleChecker, error)
}

// RuleChecker evaluates the compiled rules of one kind.
type RuleChecker interface {
	// Check returns the rules that obj breaks, and apart from them those that the old object had broken in the same place
	// with the same value. old is absent on create. It is safe for concurrent use, and it ends early when ctx does; what it
	// returns then says nothing.
	Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors)
}
