package events

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/builtin"
)

// referenceTo returns a reference to an object. It reads the JSON of the object, because a kind may use any Go type for
// its metadata.
func (r *Recorder) referenceTo(obj any) (ref builtin.ObjectReference, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%T cannot be encoded: %v\n%s", obj, p, debug.Stack())
		}
	}()
	switch given := obj.(type) {
	case builtin.ObjectReference:
		return given, nil
	case *builtin.ObjectReference:
		return *given, nil
	}
	text, err := json.Marshal(obj)
	if err != nil {
		return ref, err
	}
	var about struct {
		apimeta.TypeMeta `json:",inline"`
		Metadata         struct{ Name, Namespace, UID, ResourceVersion string }
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return ref, err
	}
	if about.Kind == "" && r.options.KindOf != nil {
		if gvk, ok := r.options.KindOf(obj); ok {
			about.Kind, about.APIVersion = gvk.Kind, gvk.GroupVersion().String()
		}
	}
	if about.Kind == "" || about.Metadata.Name == "" {
		return ref, fmt.Errorf("%T %q has no kind or no name", obj, about.Metadata.Name)
	}
	m := about.Metadata
	return builtin.ObjectReference{Kind: about.Kind, APIVersion: about.APIVersion, Namespace: m.Namespace, Name: m.Name,
		UID: m.UID, ResourceVersion: m.ResourceVersion}, nil
}
