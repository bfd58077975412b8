package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// definitions returns the kinds of the transcripts, and the reviews that kubectl uses. With graceful set, Widgets
// support a grace period. With own set, it returns Namespace, Lease, Event and ServiceAccount of packages builtin and
// serviceaccount instead of those of k8s.io/api. With widgetFrom "crd", it returns no Widget.
func definitions(graceful, own bool, widgetFrom string) []rest.Definition {
	widgets := widget.Resource()
	if graceful {
		widgets.RemoveWhenDue = true
		widgets.Hooks.GracePeriod = func(_ context.Context, _ *widget.Widget, asked *int64) (int64, error) {
			if asked == nil {
				return 0, nil
			}
			return *asked, nil
		}
	}
	kinds := []rest.Definition{configMaps(), k8s.Resource[corev1.Node]()}
	if widgetFrom != "crd" {
		kinds = append(kinds, widgets)
	}
	if own {
		return append(kinds, builtin.Namespaces(), builtin.Leases(), builtin.Events())
	}
	return append(kinds, serviceAccounts(), k8s.Resource[corev1.Namespace](), leases(), k8s.Resource[corev1.Event]())
}
