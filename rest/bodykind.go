package rest

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// checkKind compares the body's apiVersion and kind with those of the URL and fills in what the dialect lets a body
// leave out.
func (q *request) checkKind(obj doc.Value, kind apimeta.GroupVersionKind, required bool, data []byte) (doc.Value, error) {
	if obj.IsNull() {
		obj = doc.MapOf() // what Go reads null as
	}
	if err := kindReadable(obj); err != nil {
		return doc.Value{}, unrecognized(kind.Kind, err, data)
	}
	apiVersion, name, gv := obj.Get("apiVersion").Text(), obj.Get("kind").Text(), gvkOf(obj)
	var err error
	if required {
		err = checkCustomKind(obj, kind, data)
	} else {
		body := kind
		if apiVersion != "" {
			body.Group, body.Version = gv.Group, gv.Version
		}
		if name != "" {
			body.Kind = name
		}
		err = q.checkBuiltinKind(body, kind)
	}
	if err != nil {
		return doc.Value{}, err
	}
	return obj.With("apiVersion", doc.Of(kind.GroupVersion().String())).With("kind", doc.Of(kind.Kind)), nil
}

// kindReadable says in the words of encoding/json, which clients know, why the kind of an object cannot be read.
func kindReadable(obj doc.Value) error {
	if obj.Kind() != doc.Map {
		return fmt.Errorf("couldn't get version/kind; json parse error: json: cannot unmarshal %s into Go value of type "+kindStruct, obj.JSONName())
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if v := obj.Get(field); !v.IsAbsent() && !v.IsNull() && v.Kind() != doc.String {
			return fmt.Errorf("couldn't get version/kind; json parse error: json: cannot unmarshal %s into Go struct field .%s of type string", v.JSONName(), field)
		}
	}
	_, err := apimeta.ParseGroupVersion(obj.Get("apiVersion").Text())
	return err
}

// checkCustomKind refuses a body that does not say that it is of the kind.
func checkCustomKind(obj doc.Value, want apimeta.GroupVersionKind, data []byte) error {
	apiVersion, kind, version := obj.Get("apiVersion").Text(), obj.Get("kind").Text(), want.GroupVersion().String()
	switch {
	case kind == "":
		return unrecognized(want.Kind, fmt.Errorf("Object 'Kind' is missing in '%s'", shortened(data)), data)
	case apiVersion == "":
		return unrecognized(want.Kind, fmt.Errorf("Object 'apiVersion' is missing in '%s'", shortened(data)), data)
	case apiVersion != version:
		return otherVersion(apiVersion, version)
	case kind != want.Kind:
		return wrongKind(want, obj)
	}
	return nil
}

// checkBuiltinKind refuses a body of another kind in the words of upstream, which looks the body's kind up among all
// that it serves before it sees that this is not the place for it.
func (q *request) checkBuiltinKind(body, want apimeta.GroupVersionKind) error {
	if body == want {
		return nil
	}
	known := q.api.serves(body)
	if known && body.Kind == want.Kind {
		return otherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	reason := otherBuiltinKind(body, want, known)
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", body.Kind, body.Version, want.Kind, reason))
}

// otherBuiltinKind says why an object of a kind that upstream may know is not one of another.
func otherBuiltinKind(body, want apimeta.GroupVersionKind, known bool) string {
	if !known {
		return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", body.Kind, body.GroupVersion(), schemeName)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", body.Version, body.Kind, internalPackage(want.Group), want.Kind)
}

// schemeName is what upstream's registry of kinds calls itself.
const schemeName = "pkg/runtime/scheme.go:111"

// internalPackage is the Go package in which upstream keeps the types of a group.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// serves reports whether the API has a resource of that kind.
func (a *API) serves(kind apimeta.GroupVersionKind) bool {
	for _, res := range a.resources {
		if res.gvk == kind {
			return true
		}
	}
	return false
}

func otherVersion(got, want string) error {
	return status.BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
}

// wrongKind is the answer to an object of another kind of the same group and version.
func wrongKind(want apimeta.GroupVersionKind, obj doc.Value) error {
	kind := obj.Get("kind").Text()
	return status.Invalid(apimeta.GroupKind{Group: want.Group, Kind: kind}, nameOf(obj), status.FieldErrors{
		status.InvalidField(status.Field("kind"), kind, "must be "+want.Kind)})
}

// otherKind is the answer to an object of a custom kind of which a patch has made one of another kind or version.
func (res *resource) otherKind(obj doc.Value, sameVersion, sameKind bool) error {
	gvk := gvkOf(obj)
	var errs status.FieldErrors
	if !sameKind {
		errs = append(errs, status.InvalidField(status.Field("kind"), gvk.Kind, "must be "+res.gvk.Kind))
	}
	if !sameVersion {
		errs = append(errs, status.InvalidField(status.Field("apiVersion"), gvk.GroupVersion().String(), "must be "+res.gvk.GroupVersion().String()))
	}
	return status.Invalid(gvk.GroupKind(), nameOf(obj), errs)
}

// kindStruct is how encoding/json names the type into which a body is read to see its kind.
const kindStruct = `struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`

const shortenedLength = 1024

func shortened(data []byte) string {
	if len(data) > shortenedLength {
		return string(data[:shortenedLength]) + " ..."
	}
	return string(data)
}
