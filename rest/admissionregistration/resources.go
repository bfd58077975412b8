package admissionregistration

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// A Validator checks an object of a kind before it is stored. old is nil on create. See [rest.Hooks].Validate.
type Validator[T any] = func(ctx context.Context, obj, old *T) (status.FieldErrors, error)

// ValidatingWebhookConfigurations declares the resource validatingwebhookconfigurations. compile returns the fault of a
// match condition.
func ValidatingWebhookConfigurations(
	compile func(expression string) error,
) rest.Resource[ValidatingWebhookConfiguration] {
	columns := webhookColumns(func(c *ValidatingWebhookConfiguration) (int, time.Time) {
		return len(c.Webhooks), c.CreationTimestamp.Time
	})
	return declare("validatingwebhookconfigurations", "ValidatingWebhookConfiguration registers webhooks that allow or "+
		"refuse writes.", columns,
		func(_ context.Context, c, old *ValidatingWebhookConfiguration) (status.FieldErrors, error) {
			return c.Validate(old, compile), nil
		})
}

// MutatingWebhookConfigurations declares the resource mutatingwebhookconfigurations. compile returns the fault of a
// match condition.
func MutatingWebhookConfigurations(compile func(expression string) error) rest.Resource[MutatingWebhookConfiguration] {
	columns := webhookColumns(func(c *MutatingWebhookConfiguration) (int, time.Time) {
		return len(c.Webhooks), c.CreationTimestamp.Time
	})
	return declare("mutatingwebhookconfigurations", "MutatingWebhookConfiguration registers webhooks that may change "+
		"objects.", columns,
		func(_ context.Context, c, old *MutatingWebhookConfiguration) (status.FieldErrors, error) {
			return c.Validate(old, compile), nil
		})
}

// declare returns the declaration of a kind. All kinds of the group are cluster-scoped and have a generation. A PUT
// needs a resourceVersion, finalizers need no domain, and each selector is atomic.
func declare[T any](plural, description string, columns []rest.Column, validate Validator[T]) rest.Resource[T] {
	return rest.Resource[T]{
		Group: Group, Version: Version, Plural: plural, Scope: rest.ScopeCluster, Description: description, Columns: columns,
		Names:   rest.Names{Categories: []string{"api-extensions"}},
		Wire:    rest.Wire{Dialect: rest.DialectBuiltin, Generation: true, VersionRequired: true, PlainMetadata: true},
		Overlay: map[string]string{"LabelSelector": "map=atomic"},
		Hooks: rest.Hooks[T]{Validate: func(ctx context.Context, obj, old *T) (status.FieldErrors, error) {
			errs, err := validate(ctx, obj, old)
			return append(validateName(ctx, obj, old), errs...), err
		}},
	}
}

// staticSuffix ends the names of objects that kube-apiserver reads from files, and that no client can write.
const staticSuffix = ".static.k8s.io"

// validateName refuses a new object whose name is reserved, and warns about an old one.
func validateName[T any](ctx context.Context, obj, old *T) status.FieldErrors {
	name := reflect.ValueOf(obj).Elem().FieldByName("Name").String()
	if !strings.HasSuffix(name, staticSuffix) {
		return nil
	}
	at, text := status.NewPath("metadata", "name"), fmt.Sprintf("names ending with %q are reserved for static "+
		"manifest-based configurations and cannot be managed via the API", staticSuffix)
	if old == nil {
		return status.FieldErrors{status.InvalidField(at, name, text)}
	}
	rest.Warn(ctx, at.String()+": "+text)
	return nil
}

// webhookColumns returns the columns of webhook configurations. of returns what they show.
func webhookColumns[T any](of func(*T) (webhooks int, created time.Time)) []rest.Column {
	return []rest.Column{
		rest.ColumnFunc(rest.Column{Name: "Webhooks", Type: "integer", Description: "The number of webhooks in the " +
			"configuration."}, func(c *T) any {
			n, _ := of(c)
			return int64(n)
		}),
		rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."}, func(c *T) any {
			_, created := of(c)
			return created
		}),
	}
}
