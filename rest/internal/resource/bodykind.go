package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// KindOf reads what an object says about its kind. What the object leaves out is empty; text returns its JSON. The names of the
// members may be in any case, and null counts as absent, as when Go decodes into a struct.
func KindOf(obj doc.Value, text func() []byte) (apimeta.GroupVersionKind, error) {
	apiVersion, kind := obj.Get("apiVersion"), obj.Get("kind")
	found := struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}{apiVersion.Text(), kind.Text()}
	if apiVersion.Kind() != doc.String || kind.Kind() != doc.String {
		raw := text()
		err := schema.DecodingError(raw, reflect.TypeOf(found))
		if err == nil {
			err = json.Unmarshal(raw, &found)
		}
		if err != nil {
			return apimeta.GroupVersionKind{}, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
		}
	}
	gv, err := apimeta.ParseGroupVersion(found.APIVersion)
	return gv.WithKind(found.Kind), err
}

// JSONOf returns the JSON of a document.
func JSONOf(v doc.Value) func() []byte {
	return func() []byte { return codec.AppendJSON(nil, v) }
}

// CheckCustomKind refuses a body that does not say that it is of a kind of the group and version.
func CheckCustomKind(obj doc.Value, body, want apimeta.GroupVersionKind, data []byte, o *WriteOptions) error {
	switch version := want.GroupVersion().String(); {
	case obj.Get("kind").Text() == "":
		return Unrecognized(want.Kind, fmt.Errorf("Object 'Kind' is missing in '%s'", Shortened(data)), data)
	case body.GroupVersion() != want.GroupVersion():
		if refused := o.report(nil); refused != "" {
			return Undecodable(want, obj, o, errors.New(refused))
		}
		return OtherVersion(body.GroupVersion().String(), version)
	}
	return nil
}

// OtherBuiltinKind says why an object of a kind that upstream may know is not one of another.
func (res *Resource) OtherBuiltinKind(body, want apimeta.GroupVersionKind) string {
	from, known := res.Served().Knows(body)
	if !known {
		return Unregistered(body)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", from, body.Kind, internalPackage(want.Group), want.Kind)
}

// Unregistered says that nobody knows of a kind.
func Unregistered(kind apimeta.GroupVersionKind) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind.Kind, kind.GroupVersion(), schemeName)
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

// Knows reports whether upstream's registry would have a kind of what is served, and the Go package in which its type is: that
// of a built-in kind, of its lists, or one that every version of every group has. Custom kinds are not in it.
func (s Set) Knows(kind apimeta.GroupVersionKind) (pkg string, known bool) {
	if kind.Group == "" && kind.Version == "v1" && (kind.Kind == "List" || kind.Kind == "Status") {
		return "v1", true
	}
	for _, res := range s.Resources {
		switch {
		case !res.Dialect.InScheme || res.GVK.GroupVersion() != kind.GroupVersion():
		case res.GVK.Kind == kind.Kind || !res.Kind.Virtual && res.Kind.ListKind == kind.Kind:
			return kind.Version, true
		case slices.Contains(KindsOfEveryVersion, kind.Kind):
			return "v1", true
		}
	}
	return "", false
}

// KindsOfEveryVersion are what requests and watches consist of beside objects.
var KindsOfEveryVersion = []string{"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}

func OtherVersion(got, want string) error {
	return status.BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
}

// WrongKind is the answer to an object of another kind of the same group and version.
func WrongKind(want apimeta.GroupVersionKind, obj doc.Value) error {
	kind := obj.Get("kind").Text()
	return status.Invalid(apimeta.GroupKind{Group: want.Group, Kind: kind}, objectmeta.NameOf(obj), status.FieldErrors{
		status.InvalidField(status.Field("kind"), kind, "must be "+want.Kind)})
}

// otherKind is the answer to an object of a custom kind of which a patch has made one of another kind or version.
func (res *Resource) otherKind(obj doc.Value, sameVersion, sameKind bool) error {
	gvk := gvkOf(obj)
	var errs status.FieldErrors
	if !sameKind {
		errs = append(errs, status.InvalidField(status.Field("kind"), gvk.Kind, "must be "+res.GVK.Kind))
	}
	if !sameVersion {
		errs = append(errs, status.InvalidField(status.Field("apiVersion"), gvk.GroupVersion().String(), "must be "+res.GVK.GroupVersion().String()))
	}
	return status.Invalid(gvk.GroupKind(), objectmeta.NameOf(obj), errs)
}

const shortenedLength = 1024

func Shortened(data []byte) string {
	if len(data) > shortenedLength {
		return string(data[:shortenedLength]) + " ..."
	}
	return string(data)
}
