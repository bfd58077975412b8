package apimeta

import (
	"fmt"
	"strings"
)

// GroupVersion names one version of a group, as an object's apiVersion does. The
// core group is the empty string.
type GroupVersion struct {
	Group   string `json:"group"`
	Version string `json:"version"`
}

// ParseGroupVersion reads "group/version", or "version" for the core group. The
// empty string and "/" give the zero value; more than one slash is an error.
func ParseGroupVersion(s string) (GroupVersion, error) {
	if s == "" || s == "/" {
		return GroupVersion{}, nil
	}
	group, version, found := strings.Cut(s, "/")
	switch {
	case !found:
		return GroupVersion{Version: s}, nil
	case strings.Contains(version, "/"):
		return GroupVersion{}, fmt.Errorf("unexpected GroupVersion string: %v", s)
	}
	return GroupVersion{Group: group, Version: version}, nil
}

// String returns the apiVersion form, "group/version" or "version".
func (gv GroupVersion) String() string {
	if gv.Group == "" {
		return gv.Version
	}
	return gv.Group + "/" + gv.Version
}

// WithKind returns that kind of this group and version.
func (gv GroupVersion) WithKind(kind string) GroupVersionKind {
	return GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: kind}
}

// WithResource returns that resource of this group and version. The argument is
// the lower-case plural.
func (gv GroupVersion) WithResource(resource string) GroupVersionResource {
	return GroupVersionResource{Group: gv.Group, Version: gv.Version, Resource: resource}
}

// GroupKind names a kind independently of its version.
type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// ParseGroupKind reads "Kind.group", or "Kind" for the core group.
func ParseGroupKind(s string) GroupKind {
	kind, group, _ := strings.Cut(s, ".")
	return GroupKind{Group: group, Kind: kind}
}

// String returns "Kind.group", or "Kind" for the core group.
func (gk GroupKind) String() string {
	if gk.Group == "" {
		return gk.Kind
	}
	return gk.Kind + "." + gk.Group
}

// WithVersion returns the same name in the given version.
func (gk GroupKind) WithVersion(version string) GroupVersionKind {
	return GroupVersionKind{Group: gk.Group, Version: version, Kind: gk.Kind}
}

// GroupResource names a resource independently of its version. Resource is the
// lower-case plural that URLs contain.
type GroupResource struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
}

// ParseGroupResource reads "resource.group", or "resource" for the core group.
func ParseGroupResource(s string) GroupResource {
	resource, group, _ := strings.Cut(s, ".")
	return GroupResource{Group: group, Resource: resource}
}

// String returns "widgets.example.com", or "configmaps" for the core group. It is
// the name that error messages use.
func (gr GroupResource) String() string {
	if gr.Group == "" {
		return gr.Resource
	}
	return gr.Resource + "." + gr.Group
}

// WithVersion returns the same name in the given version.
func (gr GroupResource) WithVersion(version string) GroupVersionResource {
	return GroupVersionResource{Group: gr.Group, Version: version, Resource: gr.Resource}
}

// GroupVersionKind names a kind in one version, as kind and apiVersion of an object do.
type GroupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// GroupVersion returns the group and the version, which URLs and apiVersion contain.
func (gvk GroupVersionKind) GroupVersion() GroupVersion {
	return GroupVersion{Group: gvk.Group, Version: gvk.Version}
}

// GroupKind returns the name that all versions of the kind share.
func (gvk GroupVersionKind) GroupKind() GroupKind {
	return GroupKind{Group: gvk.Group, Kind: gvk.Kind}
}

// TypeMeta returns the kind and apiVersion members of an object of this kind.
func (gvk GroupVersionKind) TypeMeta() TypeMeta {
	return TypeMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}
}

// String returns "group/version, Kind=kind", the form in error messages.
func (gvk GroupVersionKind) String() string {
	return gvk.Group + "/" + gvk.Version + ", Kind=" + gvk.Kind
}

// GroupVersionResource names a resource in one version, as the path of a request does.
type GroupVersionResource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// GroupVersion returns the group and the version, which URLs contain before the resource.
func (gvr GroupVersionResource) GroupVersion() GroupVersion {
	return GroupVersion{Group: gvr.Group, Version: gvr.Version}
}

// GroupResource returns the name that all versions of the resource share.
func (gvr GroupVersionResource) GroupResource() GroupResource {
	return GroupResource{Group: gvr.Group, Resource: gvr.Resource}
}

// String returns "group/version, Resource=resource", the form in error messages.
func (gvr GroupVersionResource) String() string {
	return gvr.Group + "/" + gvr.Version + ", Resource=" + gvr.Resource
}
