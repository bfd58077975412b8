package audit

import (
	"fmt"
	"io"
	"os"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

const (
	apiVersion = "audit.k8s.io/v1"
	policyKind = "Policy"
)

// maxPolicy limits the size of a policy file, in bytes.
const maxPolicy = 16 << 20

// ReadPolicy reads the file of a policy, see [ParsePolicy]. Errors name the file.
func ReadPolicy(path string) (*Policy, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPolicy+1)) // a path may name a device without an end
	if err == nil && len(text) > maxPolicy {
		err = fmt.Errorf("the file exceeds the limit of %d bytes", maxPolicy)
	}
	var p *Policy
	if err == nil {
		p, err = ParsePolicy(text)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: policy %s: %w", path, err)
	}
	return p, nil
}

// ParsePolicy reads a policy of audit.k8s.io/v1 in YAML or JSON. It accepts what kube-apiserver accepts in the file of
// its flag --audit-policy-file, and returns an error that names the fields at fault for anything else.
//
// As in kube-apiserver, fields that a policy does not have are ignored. A misspelled condition therefore matches more
// requests than it should. See [Policy.Ignored].
func ParsePolicy(text []byte) (*Policy, error) {
	v, duplicates, err := codec.DecodeYAML(text, true)
	if err != nil {
		return nil, fmt.Errorf("the policy is neither YAML nor JSON: %w", err)
	}
	if v.Kind() != doc.Map {
		return nil, fmt.Errorf("a policy is an object, not %s", v.JSONName())
	}
	r := reader{ignored: duplicates}
	p := r.policy(v)
	if len(r.faults) == 0 {
		r.faults = p.Validate()
	}
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	p.ignored = r.ignored
	return p, nil
}

// Ignored describes what [ParsePolicy] has ignored: the paths of unknown fields, and duplicate fields. [New] logs it.
func (p *Policy) Ignored() []string { return p.ignored }

// reader reads the document of a policy, and remembers what is wrong with it.
type reader struct {
	faults  status.FieldErrors
	ignored []string
}

// fields are the known fields of an object, each with the function that reads its value.
type fields map[string]func(v doc.Value, at *status.Path)

func (r *reader) policy(v doc.Value) *Policy {
	var p Policy
	var meta apimeta.TypeMeta
	r.object(v, nil, fields{
		"apiVersion": text(r, &meta.APIVersion), "kind": text(r, &meta.Kind), "metadata": r.metadata,
		"rules": list(r, &p.Rules, (*reader).rule),
		"omitStages": list(r, &p.OmitStages,
			readText), "omitManagedFields": r.boolean(func(b bool) { p.OmitManagedFields = b }),
	})
	if meta.APIVersion != apiVersion {
		r.fault(status.NotSupportedField(status.NewPath("apiVersion"), meta.APIVersion, []string{apiVersion}))
	}
	if meta.Kind != policyKind && meta.Kind != "" {
		r.fault(status.NotSupportedField(status.NewPath("kind"), meta.Kind, []string{policyKind}))
	}
	return &p
}

func (r *reader) rule(v doc.Value, at *status.Path, into *PolicyRule) {
	r.object(v, at, fields{
		"level": text(r, &into.Level), "users": list(r, &into.Users, readText),
		"userGroups": list(r, &into.UserGroups, readText),
		"verbs":      list(r, &into.Verbs, readText), "resources": list(r, &into.Resources, (*reader).resources),
		"namespaces": list(r, &into.Namespaces, readText), "nonResourceURLs": list(r, &into.NonResourceURLs, readText),
		"omitStages": list(r, &into.OmitStages,
			readText), "omitManagedFields": r.boolean(func(b bool) { into.OmitManagedFields = &b }),
	})
}

func (r *reader) resources(v doc.Value, at *status.Path, into *GroupResources) {
	r.object(v, at, fields{
		"group": text(r, &into.Group), "resources": list(r, &into.Resources, readText),
		"resourceNames": list(r, &into.ResourceNames, readText),
	})
}

// metadata checks the metadata of a policy, which has no meaning.
func (r *reader) metadata(v doc.Value, at *status.Path) {
	var meta apimeta.ObjectMeta
	if err := codec.ToGo(v, &meta); err != nil {
		r.fault(status.TypeInvalidField(at, v.JSONName(), err.Error()))
	}
}

// object reads the fields of an object. As in Go, null leaves a value unchanged.
func (r *reader) object(v doc.Value, at *status.Path, known fields) {
	if !r.is(doc.Map, v, at) {
		return
	}
	for name, value := range v.Members() {
		if read, ok := known[name]; ok {
			read(value, at.Child(name))
		} else {
			r.ignored = append(r.ignored, fmt.Sprintf("unknown field %q", at.Child(name)))
		}
	}
}

// is reports whether a value has the wanted type. Anything else but null is a fault.
func (r *reader) is(want doc.Kind, v doc.Value, at *status.Path) bool {
	if v.Kind() != want && !v.IsNull() {
		r.fault(status.TypeInvalidField(at, v.JSONName(), "must be of type "+want.String()))
	}
	return v.Kind() == want
}

func (r *reader) fault(e *status.FieldError) { r.faults = append(r.faults, e) }

func (r *reader) boolean(set func(bool)) func(doc.Value, *status.Path) {
	return func(v doc.Value, at *status.Path) {
		if r.is(doc.Bool, v, at) {
			set(v.Bool())
		}
	}
}

func text[T ~string](r *reader, into *T) func(doc.Value, *status.Path) {
	return func(v doc.Value, at *status.Path) { readText(r, v, at, into) }
}

func readText[T ~string](r *reader, v doc.Value, at *status.Path, into *T) {
	if r.is(doc.String, v, at) {
		*into = T(v.Text())
	}
}

func list[T any](r *reader, into *[]T,
	read func(r *reader, v doc.Value, at *status.Path, into *T)) func(doc.Value, *status.Path) {
	return func(v doc.Value, at *status.Path) {
		if !r.is(doc.List, v, at) {
			return
		}
		*into = make([]T, v.Len())
		for i, element := range v.Elements() {
			read(r, element, at.Index(i), &(*into)[i])
		}
	}
}
