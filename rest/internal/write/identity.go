package write

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// NameUndeterminable returns the error for an object without a name.
func NameUndeterminable(name string) error {
	return status.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
}

// CheckIdentity refuses a body whose name or namespace differs from that of the URL.
func CheckIdentity(res *resource.Resource, obj doc.Value, namespace, name string) error {
	if err := CheckNamespace(res, obj, namespace); err != nil {
		return err
	}
	if n := objectmeta.NameOf(obj); n != "" && n != name {
		return status.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", n, name))
	}
	return nil
}

// CheckNamespace refuses a body whose namespace differs from that of the request.
func CheckNamespace(res *resource.Resource, obj doc.Value, namespace string) error {
	if n := objectmeta.Of(obj).Get(objectmeta.Namespace).Text(); res.Kind.Namespaced && n != "" && n != namespace {
		return status.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// KindOf reads the apiVersion and kind of an object. A missing one is empty. text returns the object's JSON. As when Go
// decodes into a struct, the names of the members may be in any case and null counts as absent.
func KindOf(obj doc.Value, text func() []byte) (apimeta.GroupVersionKind, error) {
	apiVersion, kind := obj.Get("apiVersion"), obj.Get("kind")
	if apiVersion.Kind() != doc.String || kind.Kind() != doc.String {
		return kindOfText(text())
	}
	gv, err := apimeta.ParseGroupVersion(apiVersion.Text())
	return gv.WithKind(kind.Text()), err
}

// kindOfText is KindOf for an object whose apiVersion or kind is not a string, or has another name.
func kindOfText(text []byte) (apimeta.GroupVersionKind, error) {
	var found struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	err := gotype.DecodingError(text, reflect.TypeOf(found))
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		return apimeta.GroupVersionKind{}, NotParsed(err)
	}
	gv, err := apimeta.ParseGroupVersion(found.APIVersion)
	return gv.WithKind(found.Kind), err
}

// JSONOf returns a function that encodes a document, for KindOf and CheckKind.
func JSONOf(v doc.Value) func() []byte {
	return func() []byte { return codec.AppendJSON(nil, v) }
}

// Kind returns the kind that the body of the write must have.
func (w *Write) Kind() apimeta.GroupVersionKind {
	if w.ThroughOwnKind() {
		return w.Through.Kind
	}
	return w.res.GVK
}

// CheckKind compares the apiVersion and kind of a body with those of the write, and fills in what the dialect lets a
// body leave out. An object of a custom kind keeps a wrong kind of the right group and version; validation reports it
// later. data is the body as it arrived, and text returns its JSON.
func (w *Write) CheckKind(obj doc.Value, data []byte, text func() []byte) (doc.Value, error) {
	want := w.Kind()
	body, err := KindOf(obj, text)
	if err != nil {
		return doc.Value{}, Unrecognized(want.Kind, err, data)
	}
	if obj.IsNull() {
		obj = doc.MapOf() // Go decodes null into an empty object
	}
	if w.ThroughOwnKind() && body.Kind == want.Kind && slices.Contains(w.Through.Accepts, body.GroupVersion()) {
		return obj.With("apiVersion", doc.Of(want.GroupVersion().String())), nil
	}
	if w.res.Dialect.KindRequired && !(w.ThroughOwnKind() && w.Through.KindImplied) {
		if err = w.checkCustomKind(obj, body, data); err == nil && w.ThroughOwnKind() && body.Kind != want.Kind {
			err = WrongKind(want, obj)
		}
	} else {
		err = checkBuiltinKind(w.res, body, want, data)
		body = want
	}
	if err != nil {
		return doc.Value{}, err
	}
	return obj.With("apiVersion", doc.Of(want.GroupVersion().String())).With("kind", doc.Of(body.Kind)), nil
}

// checkCustomKind refuses a body without a kind, or with another group or version.
func (w *Write) checkCustomKind(obj doc.Value, body apimeta.GroupVersionKind, data []byte) error {
	want := w.Kind()
	switch {
	case obj.Get("kind").Text() == "":
		return Unrecognized(want.Kind, missing("Kind", shortened(data)), data)
	case body.GroupVersion() != want.GroupVersion():
		if refused := w.Report(nil); refused != "" {
			return Undecodable(want, errors.New(refused))
		}
		return otherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	return nil
}

// checkBuiltinKind refuses a body of another kind in the words of upstream. Upstream first looks the kind up among all
// kinds that it knows, and only then compares it with the kind of the URL.
func checkBuiltinKind(res *resource.Resource, body, want apimeta.GroupVersionKind, data []byte) error {
	if body.Kind == "" {
		body.Kind = want.Kind
	}
	if body.Version == "" && (body.Group == "" || body.Group == want.Group) {
		body.Group, body.Version = want.Group, want.Version
	}
	if body == want {
		return nil
	}
	if _, known := knows(res.Served(), body); known && body.Kind == want.Kind {
		return otherVersion(body.GroupVersion().String(), want.GroupVersion().String())
	}
	reason := otherBuiltinKind(res, body, want)
	if body.Version == "" {
		reason = missing("apiVersion", shortened(data)).Error()
	}
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", body.Kind, body.Version,
		want.Kind, reason))
}

// otherBuiltinKind returns upstream's reason why an object of kind body cannot become one of kind want.
func otherBuiltinKind(res *resource.Resource, body, want apimeta.GroupVersionKind) string {
	from, known := knows(res.Served(), body)
	if !known {
		return unregistered(body)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", from, body.Kind, internalPackage(want.Group),
		want.Kind)
}

// unregistered returns upstream's text about an unknown kind.
func unregistered(kind apimeta.GroupVersionKind) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind.Kind, kind.GroupVersion(), SchemeName)
}

// SchemeName is the name of upstream's registry of kinds in its error texts.
const SchemeName = "pkg/runtime/scheme.go:111"

// internalPackage returns the Go package in which upstream keeps the types of a group.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// knows reports whether upstream's registry would contain a kind, and the Go package of its type. The registry contains
// built-in kinds, their lists, and the kinds that every version of every group has. It does not contain custom kinds.
func knows(s resource.Set, kind apimeta.GroupVersionKind) (pkg string, known bool) {
	if kind.Group == "" && kind.Version == "v1" && (kind.Kind == "List" || kind.Kind == "Status") {
		return "v1", true
	}
	for res := range s.EveryVersion {
		switch {
		case !res.Dialect.InScheme || res.GVK.GroupVersion() != kind.GroupVersion():
		case res.GVK.Kind == kind.Kind || !res.Kind.Virtual && res.Kind.ListKind == kind.Kind:
			return kind.Version, true
		case slices.Contains(kindsOfEveryVersion, kind.Kind):
			return "v1", true
		}
	}
	return "", false
}

// kindsOfEveryVersion lists the kinds of options and events that upstream registers in every version.
var kindsOfEveryVersion = []string{
	"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent",
}

func otherVersion(got, want string) error {
	return status.BadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
		got, want))
}

// WrongKind returns the error for an object of another kind of the same group and version.
func WrongKind(want apimeta.GroupVersionKind, obj doc.Value) error {
	kind := obj.Get("kind").Text()
	return status.Invalid(apimeta.GroupKind{Group: want.Group, Kind: kind}, objectmeta.NameOf(obj), status.FieldErrors{
		status.InvalidField(status.NewPath("kind"), kind, "must be "+want.Kind)})
}

// otherKind returns the error for a patch that changed the kind or the version of a custom object.
func otherKind(res *resource.Resource, obj doc.Value, sameVersion, sameKind bool) error {
	gvk := gvkOf(obj)
	var errs status.FieldErrors
	if !sameKind {
		errs = append(errs, status.InvalidField(status.NewPath("kind"), gvk.Kind, "must be "+res.GVK.Kind))
	}
	if !sameVersion {
		must := "must be " + res.GVK.GroupVersion().String()
		errs = append(errs, status.InvalidField(status.NewPath("apiVersion"), gvk.GroupVersion().String(), must))
	}
	return status.Invalid(gvk.GroupKind(), objectmeta.NameOf(obj), errs)
}

const shortenedLength = 1024

// shortened returns the beginning of a body for an error text.
func shortened(data []byte) string {
	if len(data) > shortenedLength {
		return string(data[:shortenedLength]) + " ..."
	}
	return string(data)
}

// NotParsed returns upstream's error for a body that its decoder cannot parse.
func NotParsed(err error) error {
	return fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
}

// missing returns the error of upstream's decoder for a text without an apiVersion or a kind.
func missing(field, text string) error {
	return fmt.Errorf("Object '%s' is missing in '%s'", field, text)
}

// Unrecognized returns the error for a body whose kind cannot be read.
func Unrecognized(kind string, err error, data []byte) error {
	return status.BadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err,
		excerpt(data)))
}

const excerptLength = 30

// excerpt returns the beginning of a body for an error text: as text if it looks like JSON, otherwise in hexadecimal
// digits.
func excerpt(data []byte) string {
	if len(data) == 0 {
		return "<empty>"
	}
	head, tail := data, ""
	if len(data) > excerptLength {
		head, tail = data[:excerptLength], " ..."
	}
	if data[0] == '{' {
		return string(head) + tail
	}
	return hex.EncodeToString(head) + tail
}
