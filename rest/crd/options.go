package crd

import (
	"log/slog"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd/internal/annotations"
)

// Options configure [Definitions]. The zero value works.
type Options struct {
	// IgnoreRules accepts definitions with validation rules if [rest.Options] have no CEL. The rules then have no effect.
	IgnoreRules bool
	// Calls calls the webhooks that convert objects (spec.conversion.strategy Webhook). Without it, the API refuses
	// definitions with such a webhook. The host closes it after it has closed the API.
	Calls *callout.Client
	// History permits definitions to keep former versions of their objects ([rest.History]), with the annotations
	// [apiextensions.VersionsAnnotation] and [apiextensions.ForAnnotation]. Without it, the annotations have no effect, as
	// in Kubernetes.
	History bool
	// OwnNamesConflict treats names as kube-apiserver does. A new name that the definition has already, such as a short
	// name that is its plural, then conflicts. The condition NamesAccepted stays False when the definition returns to its
	// accepted names. Without it, names conflict with those of other definitions only, and the condition becomes True.
	OwnNamesConflict bool
	// Compiled are kinds that the host declares itself, the same values that it passes to [rest.New]. The plug-in shows
	// them as definitions with the annotation [apiextensions.CompiledAnnotation], for tools that look for
	// CustomResourceDefinitions, and keeps these up to date. Nobody else may write them, or take their names. A kind that
	// [Manifest] refuses, such as one of the built-in dialect, is not shown, and the log names it. The start fails if a
	// client has stored a definition under the name of such a kind, or if a kind has rules in CEL and [rest.Options] have
	// no CEL.
	Compiled []rest.Definition
	// ReadOnly refuses all definitions of clients, for a host that serves only its own kinds.
	ReadOnly bool
	// Logger receives the errors of changes that the API tries again later. Default: slog's default logger.
	Logger *slog.Logger
}

// historyOf returns the history that the annotations of a definition declare. It is nil if the host does not permit it,
// and for annotations from before the permission that are invalid.
func (o Options) historyOf(all map[string]string) *rest.History {
	if h, faults := annotations.History(all); o.History && len(faults) == 0 {
		return h
	}
	return nil
}

// settings are the options of the plug-in and those of its API.
type settings struct {
	Options
	cel rest.Evaluator
}
