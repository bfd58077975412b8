package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// namespace creates a namespace for the case. A server without namespace objects
// (404, 405) is assumed to need none.
func (r *replay) namespace(ctx context.Context, variable, prefix string) error {
	for try := 0; ; try++ {
		name := prefix + randomName(10)
		r.vars[variable] = name
		object := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		status, body, err := r.client.ask(ctx,
			request{method: http.MethodPost, path: "/api/v1/namespaces", body: new(jsonText(object))})
		switch {
		case err != nil:
			return err
		case status/100 == 2:
			r.namespaces = append(r.namespaces, name)
			return nil
		case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
			return nil
		case status == http.StatusConflict && try < 3:
			continue // left over from an earlier run
		}
		return fmt.Errorf("creating namespace %s: %d %s", name, status, cut(string(body), 200))
	}
}

// give creates an object that the case starts from. It is not part of the
// transcript, but its resourceVersion and uid get symbols like all others.
func (r *replay) give(ctx context.Context, short map[string]any) error {
	k, err := kindOf(short)
	if err != nil {
		return err
	}
	object, err := expand(short)
	if err != nil {
		return err
	}
	if _, ok := object["spec"]; !ok && k.short == "wd" {
		object["spec"] = map[string]any{"size": 1}
	}
	namespace, ok := short["namespace"].(string)
	if !ok {
		namespace = "${ns}"
	}
	id := strings.TrimSuffix(text(short[k.short]), "-${u}")
	path := r.vars.expand(k.collection(namespace))
	if k.short == "crd" {
		return r.giveDefinition(ctx, id, path, object)
	}
	status, body, err := r.client.ask(ctx,
		request{method: http.MethodPost, path: path, body: new(r.vars.expand(jsonText(object)))})
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return fmt.Errorf("creating %s %s: %d %s", k.name, id, status, cut(string(body), 300))
	}
	created, err := decodeJSON(body)
	if err != nil {
		return fmt.Errorf("creating %s %s: %w", k.name, id, err)
	}
	for variable, member := range map[string]string{"rv": "resourceVersion", "uid": "uid", "name": "name"} {
		v, _ := lookup(created, "metadata."+member)
		r.vars[id+"."+variable] = text(v)
	}
	r.answers = append(r.answers, &answer{path: path, status: status, body: created, hasBody: true})
	return nil
}
