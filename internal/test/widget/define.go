package widget

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// Define creates the definition of Widget from the declaration of the Go kind, and waits until the API, which has the
// plug-in crd, serves the kind. It gives up after a minute.
func Define(ctx context.Context, api *rest.API) error {
	manifest, _, err := crd.Manifest(Resource())
	if err != nil {
		return err
	}
	var d apiextensions.CustomResourceDefinition
	if err := yaml.Unmarshal(manifest, &d); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	definitions, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	if err != nil {
		return err
	}
	if _, err := definitions.Create(ctx, &d); err != nil {
		return err
	}
	for event, err := range definitions.Follow(ctx, rest.WatchOptions{FieldSelector: "metadata.name=" + d.Name}) {
		if err != nil {
			return fmt.Errorf("the definition of Widget is not served: %w", err)
		}
		if event.Object.Is(apiextensions.Established) {
			return nil
		}
	}
	return ctx.Err()
}
