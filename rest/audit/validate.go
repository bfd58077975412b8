package audit

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// Validate returns the faults of a policy, or nil. It accepts what kube-apiserver accepts.
func (p *Policy) Validate() status.FieldErrors {
	if len(p.Rules) == 0 {
		return status.FieldErrors{status.RequiredField(status.NewPath("rules"), "a policy has at least one rule")}
	}
	faults := checkStages(p.OmitStages, status.NewPath("omitStages"))
	for i := range p.Rules {
		faults = append(faults, p.Rules[i].validate(status.NewPath("rules").Index(i))...)
	}
	return faults
}

func (r *PolicyRule) validate(at *status.Path) (faults status.FieldErrors) {
	switch {
	case r.Level == "":
		faults = append(faults, status.RequiredField(at.Child("level"), ""))
	case !slices.Contains(levels[:], r.Level):
		faults = append(faults, status.NotSupportedField(at.Child("level"), r.Level, texts(levels[:])))
	}
	urls := at.Child("nonResourceURLs")
	for i, url := range r.NonResourceURLs {
		faults = append(faults, checkURL(url, urls.Index(i))...)
	}
	if len(r.NonResourceURLs) > 0 && (len(r.Resources) > 0 || len(r.Namespaces) > 0) {
		faults = append(faults, status.InvalidField(urls, r.NonResourceURLs,
			"a rule is either about paths, or about resources and namespaces"))
	}
	for i := range r.Resources {
		faults = append(faults, r.Resources[i].validate(at.Child("resources").Index(i))...)
	}
	return append(faults, checkStages(r.OmitStages, at.Child("omitStages"))...)
}

func (g *GroupResources) validate(at *status.Path) (faults status.FieldErrors) {
	if g.Group != "" && g.Group != "*" {
		for _, message := range apimeta.ValidateDNS1123Subdomain(g.Group) {
			faults = append(faults, status.InvalidField(at.Child("group"), g.Group, message))
		}
	}
	if len(g.ResourceNames) > 0 && len(g.Resources) == 0 {
		faults = append(faults, status.InvalidField(at.Child("resourceNames"), g.ResourceNames,
			"names of objects need resources"))
	}
	return faults
}

func checkURL(url string, at *status.Path) (faults status.FieldErrors) {
	if url == "*" {
		return nil
	}
	if !strings.HasPrefix(url, "/") {
		faults = append(faults, status.InvalidField(at, url, "a path begins with a slash"))
	}
	if before, _, found := strings.Cut(url, "*"); found && len(before) < len(url)-1 {
		faults = append(faults, status.InvalidField(at, url, "only the last character may be '*'"))
	}
	return faults
}

func checkStages(omitted []Stage, at *status.Path) (faults status.FieldErrors) {
	for i, s := range omitted {
		if !slices.Contains(stages[:], s) {
			faults = append(faults, status.NotSupportedField(at.Index(i), s, texts(stages[:])))
		}
	}
	return faults
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
