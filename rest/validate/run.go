package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// run is one call of [Validator.Validate].
type run struct {
	*Validator
	in       Input
	old      map[key]formerState
	stored   map[apimeta.GroupKind]string // the stored version of the kinds whose objects a webhook converts
	kept     map[*Manifest]*Result        // results for Input.Manifests that are objects of the API
	refused  []Result                     // results for Input.Given
	defined  bool                         // the API has got definitions that it may not serve yet
	barriers int
}

// formerState is what became of the former state of an object. It is an object of the API, unless missing says why not.
type formerState struct{ missing string }

// key names an object, whatever its version.
type key struct{ group, resource, namespace, name string }

// target is where the API has the object of a manifest.
type target struct {
	*resource
	namespace string
	key       key
}

// targetOf returns nil if the API does not serve the kind.
func (r *run) targetOf(ctx context.Context, m *Manifest) (*target, error) {
	if m.err != nil {
		return nil, nil
	}
	res, err := r.resourceOf(ctx, m.Kind)
	if err != nil || res == nil {
		return nil, err
	}
	t := &target{resource: res}
	if res.Namespaced {
		t.namespace = cmp.Or(m.Namespace, r.options.Namespace)
	}
	t.key = key{m.Kind.Group, res.Name, t.namespace, textOf(m.object, "metadata", "name")}
	return t, nil
}

// judge returns the result of a manifest.
func (r *run) judge(ctx context.Context, m *Manifest) (Result, error) {
	result := Result{Manifest: *m, Verdict: Valid}
	if m.err != nil {
		result.Verdict = Unreadable
		message, line := m.in.inFile(m.err.Error())
		result.Findings = []Finding{{Severity: Error, Line: cmp.Or(line, m.Line), Message: message}}
		return result, nil
	}
	t, err := r.targetOf(ctx, m)
	if err != nil {
		return result, err
	}
	if t == nil {
		result.Verdict = Unknown
		message := "the API serves no kind " + m.Kind.Kind + " in " + m.Kind.GroupVersion().String()
		others, err := r.versionsOf(ctx, m.Kind.GroupKind())
		if len(others) > 0 {
			message += ", but in " + strings.Join(others, ", ")
		}
		result.Findings = []Finding{{Severity: Error, Line: m.Line, Message: message}}
		return result, err
	}
	before, known := r.former(t, m)
	if before.missing != "" {
		result.warn("is validated as a new object, because " + before.missing)
	}
	if len(m.duplicates) > 0 {
		err := errors.New("strict decoding error: " + codec.DuplicateLines(m.duplicates))
		refused := status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", m.Kind.Kind,
			m.Kind.Version, m.Kind.Kind, err))
		result.refuse(&refused.Status)
		return result, nil
	}
	kept := r.kept[m]
	if known && kept != nil {
		return *kept, nil
	}
	a, err := r.write(ctx, t, m, "dryRun=All&")
	if err != nil {
		return result, err
	}
	failed := a.failure()
	switch {
	case failed == nil:
		result.accept(a, r.options.Changes && !r.converts(m))
	case failed.Reason != status.ReasonAlreadyExists:
		result.warn(a.warnings()...)
		result.refuse(failed)
	case kept != nil: // the name is the last thing that the API checks, and what has it is the manifest itself
		return *kept, nil
	default:
		result.Code = http.StatusCreated
	}
	if r.converts(m) && result.Verdict == Valid {
		result.Verdict = Unknown
		result.warn(fmt.Sprintf("is valid in version %s, but it is unknown whether the webhook of the definition can convert it to version %s, which the API stores",
			m.Kind.Version, r.stored[m.Kind.GroupKind()]))
	}
	return result, nil
}

// accept notes that the API accepts the object.
func (r *Result) accept(a *answer, changes bool) {
	r.Code = a.code
	r.warn(a.warnings()...)
	if changes {
		r.changes(a.body.Bytes())
	}
}

func (r *Result) warn(texts ...string) {
	for _, text := range texts {
		r.Findings = append(r.Findings, Finding{Severity: Warning, Line: r.Line, Message: text})
	}
}

// write sends a manifest as a create or, if the API has its former state, as an update.
func (r *run) write(ctx context.Context, t *target, m *Manifest, query string) (*answer, error) {
	query = "?" + query + "fieldValidation=Strict&fieldManager=validate"
	before, known := r.former(t, m)
	switch {
	case m.isYAML: // the text has duplicate keys: the API refuses a create and an update alike
		return r.send(ctx, http.MethodPost, t.path(m.Kind, t.namespace, "")+query, "application/yaml", m.body)
	case !known || before.missing != "":
		return r.send(ctx, http.MethodPost, t.path(m.Kind, t.namespace, "")+query, "application/json", m.JSON())
	}
	path := t.path(m.Kind, t.namespace, t.key.name)
	now, err := r.send(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return nil, err
	}
	stored, _, err := codec.DecodeJSON(now.body.Bytes())
	if err != nil {
		return nil, err
	}
	object := m.object.WithAt(stored.Lookup("metadata", "resourceVersion"), "metadata", "resourceVersion")
	object = object.With("metadata", object.Get("metadata").Without("uid"))
	return r.send(ctx, http.MethodPut, path+query, "application/json", codec.AppendJSON(nil, object))
}

// create creates the object of a manifest, or updates that of Input.Old. It returns nil if the API does not serve the
// kind.
func (r *run) create(ctx context.Context, m *Manifest) (*Result, error) {
	t, err := r.targetOf(ctx, m)
	if err != nil || t == nil {
		return nil, err
	}
	query := ""
	if r.isConverted(m) {
		query = "dryRun=All&" // the API gets another definition below
	}
	a, err := r.write(ctx, t, m, query)
	if err != nil {
		return nil, err
	}
	if r.isConverted(m) && a.failure() == nil {
		if _, err = r.write(ctx, t, r.withoutWebhook(m), ""); err != nil {
			return nil, err
		}
	}
	result := &Result{Manifest: *m, Verdict: Valid}
	if failed := a.failure(); failed != nil {
		result.warn(a.warnings()...)
		result.refuse(failed)
	} else {
		result.accept(a, r.options.Changes)
		r.defined = r.defined || isDefinition(m)
	}
	return result, nil
}

// give creates a given object. An object that another manifest describes too exists once.
func (r *run) give(ctx context.Context, m *Manifest) error {
	var result *Result
	var err error
	if !callsOut(m) {
		if result, err = r.create(ctx, m); err != nil {
			return err
		}
	}
	if result == nil { // unreadable, of an unknown kind, or not to be created
		judged, err := r.judge(ctx, m)
		if err != nil {
			return err
		}
		result = &judged
	}
	if result.Verdict != Valid && result.Code != http.StatusConflict {
		r.refused = append(r.refused, *result)
	}
	return nil
}

// keep creates the object of one of Input.Manifests. If the API refuses it, judge says why.
func (r *run) keep(ctx context.Context, m *Manifest) error {
	result, err := r.create(ctx, m)
	if result != nil && (result.Verdict == Valid || result.Code != http.StatusConflict) {
		r.kept[m] = result
	}
	return err
}

// remember creates an object in its former state.
func (r *run) remember(ctx context.Context, m *Manifest) error {
	if m.err != nil {
		return r.give(ctx, m)
	}
	t, err := r.targetOf(ctx, m)
	if err != nil || t == nil || callsOut(m) {
		return err
	}
	former := *m
	former.object = m.object.With("metadata", m.object.Get("metadata").Without(madeByServer...))
	former.body, former.isYAML = nil, false
	if r.converts(m) {
		r.old[t.key] = formerState{missing: "a webhook converts the old one"}
		return nil
	}
	a, err := r.write(ctx, t, r.withoutWebhook(&former), "")
	if err != nil {
		return err
	}
	if failed := a.failure(); failed != nil && failed.Reason != status.ReasonAlreadyExists {
		r.old[t.key] = formerState{missing: "the API refuses the old one: " + failed.Message}
		return nil
	}
	r.old[t.key] = formerState{}
	r.defined = r.defined || isDefinition(m)
	return nil
}

// assume creates the namespaces of all manifests that do not exist, if the API has namespaces.
func (r *run) assume(ctx context.Context) error {
	namespaces, err := r.resourceOf(ctx, namespaceKind)
	if err != nil || namespaces == nil {
		return err
	}
	known := map[string]bool{}
	for _, m := range slices.Concat(r.in.Old, r.in.Given, r.in.Manifests) {
		t, err := r.targetOf(ctx, &m)
		if err != nil {
			return err
		}
		if t == nil || t.namespace == "" || known[t.namespace] {
			continue
		}
		known[t.namespace] = true
		body := codec.AppendJSON(nil, doc.FromPlain(map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": t.namespace}}))
		// An error is not interesting: the namespace exists, or the answer to its objects says why it cannot.
		if _, err := r.send(ctx, http.MethodPost, namespaces.path(namespaceKind, "", ""), "application/json",
			body); err != nil {
			return err
		}
	}
	return nil
}
