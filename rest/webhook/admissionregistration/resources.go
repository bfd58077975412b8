package admissionregistration

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// ValidatingWebhookConfigurations declares the resource validatingwebhookconfigurations. compile returns the fault of a match
// condition.
func ValidatingWebhookConfigurations(compile func(expression string) error) rest.Resource[ValidatingWebhookConfiguration] {
	return rest.Resource[ValidatingWebhookConfiguration]{
		Group: Group, Version: Version, Plural: "validatingwebhookconfigurations", Scope: rest.Cluster, Names: names(), Wire: wire(), Overlay: overlay(),
		Description: "ValidatingWebhookConfiguration registers webhooks that allow or refuse writes.",
		Columns: webhookColumns(func(c *ValidatingWebhookConfiguration) (int, time.Time) {
			return len(c.Webhooks), c.CreationTimestamp.Time
		}),
		Hooks: rest.Hooks[ValidatingWebhookConfiguration]{
			Validate: func(_ context.Context, c, old *ValidatingWebhookConfiguration) status.FieldErrors {
				return c.Validate(old, compile)
			},
		},
	}
}

// MutatingWebhookConfigurations declares the resource mutatingwebhookconfigurations. compile returns the fault of a match condition.
func MutatingWebhookConfigurations(compile func(expression string) error) rest.Resource[MutatingWebhookConfiguration] {
	return rest.Resource[MutatingWebhookConfiguration]{
		Group: Group, Version: Version, Plural: "mutatingwebhookconfigurations", Scope: rest.Cluster, Names: names(), Wire: wire(), Overlay: overlay(),
		Description: "MutatingWebhookConfiguration registers webhooks that may change objects.",
		Columns: webhookColumns(func(c *MutatingWebhookConfiguration) (int, time.Time) {
			return len(c.Webhooks), c.CreationTimestamp.Time
		}),
		Hooks: rest.Hooks[MutatingWebhookConfiguration]{
			Validate: func(_ context.Context, c, old *MutatingWebhookConfiguration) status.FieldErrors {
				return c.Validate(old, compile)
			},
		},
	}
}

// names are the names that all kinds of the group have.
func names() rest.Names { return rest.Names{Categories: []string{"api-extensions"}} }

// wire is how all kinds of the group answer: they have a generation, a PUT needs a resourceVersion, and finalizers need no domain.
func wire() rest.Wire {
	return rest.Wire{Dialect: rest.Builtin, Generation: true, VersionRequired: true, PlainMetadata: true}
}

// overlay makes each selector atomic.
func overlay() map[string]string { return map[string]string{"LabelSelector": "map=atomic"} }

// webhookColumns returns the columns of webhook configurations. of returns what they show.
func webhookColumns[T any](of func(*T) (webhooks int, created time.Time)) []rest.Column {
	return []rest.Column{
		rest.ColumnFunc(rest.Column{Name: "Webhooks", Type: "integer", Description: "The number of webhooks in the configuration."}, func(c *T) any {
			n, _ := of(c)
			return int64(n)
		}),
		rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."}, func(c *T) any {
			_, created := of(c)
			return created
		}),
	}
}
