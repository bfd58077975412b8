package crd

import (
	"log/slog"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
)

// Options configure [Definitions]. The zero value works.
type Options struct {
	// IgnoreRules accepts definitions with validation rules if [rest.Options] have no CEL. The rules then have no effect.
	IgnoreRules bool
	// Calls calls the webhooks that convert objects (spec.conversion.strategy Webhook). Without it, the API refuses
	// definitions with such a webhook. The host closes it after it has closed the API.
	Calls *callout.Client
	// Logger receives the errors of changes that the API tries again later. Default: slog's default logger.
	Logger *slog.Logger
}

// settings are the options of the plug-in and those of its API.
type settings struct {
	Options
	rules rest.Rules
}
