package validate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/raw"
)

// barrier is a definition that the API gets after others. The API serves definitions in the order of their writes, so
// it has dealt with the others once it serves this one.
const barrier = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"barriers%[1]d.validate.invalid"},
"spec":{"group":"validate.invalid","scope":"Cluster","names":{"plural":"barriers%[1]d","kind":"Barrier%[1]d"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

// settledWithin is how long settle waits. It is long because machines can be slow.
const settledWithin = time.Minute

// settle waits until the API serves the kinds of the definitions that it has got, if there are any.
func (r *run) settle(ctx context.Context) error {
	if !r.defined {
		return nil
	}
	r.defined = false
	r.barriers++
	target := pathOf(apimeta.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}) + "/customresourcedefinitions"
	a, err := r.send(ctx, http.MethodPost, target, "application/json", fmt.Appendf(nil, barrier, r.barriers))
	if err != nil {
		return err
	}
	if failed := a.failure(); failed != nil {
		return errors.New("validate: the API does not take definitions: " + failed.Message)
	}
	defer r.kinds.forget()
	return r.await(ctx, fmt.Sprintf("barriers%d.validate.invalid", r.barriers))
}

// await waits until the API has a resource.
func (r *run) await(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, settledWithin)
	defer cancel()
	objects := r.api.Objects()
	for {
		changed := objects.Changed()
		if slices.ContainsFunc(objects.Resources(), func(res raw.Resource) bool { return res.Name == name }) {
			return nil
		}
		select {
		case <-changed:
		case <-objects.Ending():
			return errors.New("validate: the API has shut down")
		case <-ctx.Done():
			return fmt.Errorf("validate: the API does not serve the kinds of the definitions, perhaps because it has not been started: %w", ctx.Err())
		}
	}
}
