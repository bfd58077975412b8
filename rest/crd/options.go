package crd

import (
	"log/slog"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
)

// Options configure [Enable]. The zero value works.
type Options struct {
	// Rules evaluates the validation rules of definitions. Set it to cel.New(nil) of module cel. Without it, the API refuses
	// definitions with rules.
	Rules rest.Rules
	// IgnoreRules accepts definitions with rules if Rules is nil. The rules then have no effect.
	IgnoreRules bool
	// Calls calls the webhooks that convert objects (spec.conversion.strategy Webhook). Without it, the API refuses definitions with such a
	// webhook. The host closes it after it has closed the API.
	Calls *callout.Client
	// Logger receives the errors of changes that the API tries again later. Default: slog's default logger.
	Logger *slog.Logger
}
