package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// install applies the CustomResourceDefinitions of a folder and waits until the
// server serves the resources they define.
func (c *client) install(ctx context.Context, fixtures fs.FS) error {
	names, err := fs.Glob(fixtures, "*-crd.yaml")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.installManifest(ctx, fixtures, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (c *client) installManifest(ctx context.Context, fixtures fs.FS, name string) error {
	b, err := fs.ReadFile(fixtures, name)
	if err != nil {
		return err
	}
	manifest, err := decodeYAML(b)
	if err != nil {
		return err
	}
	at := func(path string) string {
		v, _ := lookup(manifest, path)
		return text(v)
	}
	status, answer, err := c.ask(ctx, request{
		method: http.MethodPatch,
		path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + at("metadata.name") +
			"?fieldManager=conform&force=true",
		headers: []pair{{"Content-Type", "application/apply-patch+yaml"}},
		body:    new(jsonText(manifest)),
	})
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return fmt.Errorf("%d %s", status, cut(string(answer), 600))
	}
	return c.waitServed(ctx, fmt.Sprintf("/apis/%s/%s/%s?limit=1", at("spec.group"), at("spec.versions[0].name"),
		at("spec.names.plural")))
}

// waitServed polls, because no event says when a server has added a new resource to
// its routes. It requires several successes in a row, because the server may update
// its routes one after the other.
func (c *client) waitServed(ctx context.Context, path string) error {
	const attempts, wanted, interval = 200, 5, 200 * time.Millisecond
	inRow := 0
	for range attempts {
		if err := pause(ctx, interval); err != nil {
			return err
		}
		status, _, err := c.ask(ctx, request{method: http.MethodGet, path: path})
		if err != nil {
			continue
		}
		inRow++
		if status != http.StatusOK {
			inRow = 0
		}
		if inRow == wanted {
			return nil
		}
	}
	return errors.New("the resource is not served")
}
