// Package clientconfig validates what the registrations of webhooks have in common, in the words of kube-apiserver:
// where a webhook is, and which versions of reviews it understands.
package clientconfig

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// URL returns the faults of the URL of a webhook.
func URL(text string, at *status.Path) (errs status.FieldErrors) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		return status.FieldErrors{status.RequiredField(at, "url must be a valid URL: "+err.Error()+form)}
	}
	for _, rule := range []struct {
		broken        bool
		value, detail string
	}{
		{u.Scheme != "https", u.Scheme, "'https' is the only allowed URL scheme" + form},
		{u.Host == "", u.Host, "host must be specified" + form},
		{u.User != nil, u.User.String(), "user information is not permitted in the URL"},
		{u.Fragment != "", u.Fragment, "fragments are not permitted in the URL"},
		{u.RawQuery != "", u.RawQuery, "query parameters are not permitted in the URL"},
	} {
		if rule.broken {
			errs = append(errs, status.InvalidField(at, rule.value, rule.detail))
		}
	}
	return errs
}

// Service is the service of a webhook. Path and Port may be nil.
type Service struct {
	Namespace, Name string
	Path            *string
	Port            *int32
}

// Validate returns the faults of the service.
func (s Service) Validate(at *status.Path) (errs status.FieldErrors) {
	if s.Name == "" {
		errs = append(errs, status.RequiredField(at.Child("name"), ""))
	}
	if s.Namespace == "" {
		errs = append(errs, status.RequiredField(at.Child("namespace"), ""))
	}
	if s.Port != nil && (*s.Port < 1 || *s.Port > 65535) {
		errs = append(errs, status.InvalidField(at.Child("port"), *s.Port,
			"port is not valid: must be between 1 and 65535, inclusive"))
	}
	if s.Path == nil {
		return errs
	}
	for _, fault := range faultsOfPath(*s.Path) {
		errs = append(errs, status.InvalidField(at.Child("path"), *s.Path, fault))
	}
	return errs
}

// maxFaults limits the faults of one path. A path of slashes has millions.
const maxFaults = 1000

// faultsOfPath checks the path of a service. An empty path is the root.
func faultsOfPath(path string) (faults []string) {
	switch path {
	case "", "/":
		return nil
	case "//":
		return []string{"segment[0] may not be empty"}
	}
	if path[0] != '/' {
		faults = append(faults, "must start with a '/'")
	}
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if len(faults) >= maxFaults {
			break
		}
		if segment == "" {
			faults = append(faults, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, fault := range apimeta.ValidateDNS1123Subdomain(segment) {
			faults = append(faults, fmt.Sprintf("segment[%d]: %s", i, fault))
		}
	}
	return faults
}

// Understood reports whether this library understands one of the versions of a review.
func Understood(versions []string) bool {
	return slices.Contains(versions, "v1") || slices.Contains(versions, "v1beta1")
}

// ReviewVersions returns the faults of a list of versions that is not empty. Unless lenient is set, one of them must be
// [Understood].
func ReviewVersions(versions []string, lenient bool, at *status.Path) (errs status.FieldErrors) {
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			errs = append(errs, status.InvalidField(at.Index(i), v, "duplicate version"))
			continue
		}
		for _, fault := range apimeta.ValidateDNS1035Label(v) {
			errs = append(errs, status.InvalidField(at.Index(i), v, fault))
		}
	}
	if !lenient && !Understood(versions) {
		errs = append(errs, status.InvalidField(at, versions, "must include at least one of v1, v1beta1"))
	}
	return errs
}
