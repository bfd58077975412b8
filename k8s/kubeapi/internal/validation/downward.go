package validation

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The fields of a Pod that its variables and its files can show. Both can also show one label or annotation.
func fieldsOfVariables() []string {
	return []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}
}

func fieldsOfFiles() []string {
	return []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}
}

// podField checks a reference to a field of the Pod.
func (r *report) podField(p *field.Path, s *corev1.ObjectFieldSelector, allowed []string) {
	if !r.given(p.Child("apiVersion"), s.APIVersion) || !r.given(p.Child("fieldPath"), s.FieldPath) {
		return
	}
	if problem := fieldProblem(s); problem != "" {
		r.add(field.Invalid(p.Child("fieldPath"), s.FieldPath, "error converting fieldPath: "+problem))
		return
	}
	name, key, ok := subscripted(s.FieldPath)
	switch {
	case ok && name == "metadata.annotations":
		r.follows(p, strings.ToLower(key), validation.IsQualifiedName)
	case ok:
		r.follows(p, key, validation.IsQualifiedName)
	default:
		if name == "spec.host" { // the name that it had in older versions
			name = "spec.nodeName"
		}
		r.is(slices.Contains(allowed, name), field.NotSupported(p.Child("fieldPath"), name, allowed))
	}
}

// subscripted splits the path of one entry of a map, such as "metadata.labels['app']".
func subscripted(text string) (name, key string, ok bool) {
	text, ended := strings.CutSuffix(text, "']")
	name, key, found := strings.Cut(text, "['")
	if !ended || !found || name == "" {
		if ended {
			text += "']"
		}
		return text, "", false
	}
	return name, key, true
}

func fieldProblem(s *corev1.ObjectFieldSelector) string {
	if s.APIVersion != "v1" {
		return "unsupported pod version: " + s.APIVersion
	}
	name, _, ok := subscripted(s.FieldPath)
	if ok && name != "metadata.annotations" && name != "metadata.labels" {
		return "field label does not support subscript: " + s.FieldPath
	}
	known := slices.Concat(fieldsOfVariables(), fieldsOfFiles(),
		[]string{"spec.restartPolicy", "spec.schedulerName", "status.phase", "spec.host"})
	if !ok && !slices.Contains(known, name) {
		return "field label not supported: " + s.FieldPath
	}
	return ""
}

// containerResource checks a reference to the resources of a container. A file must name the container.
func (r *report) containerResource(p *field.Path, s *corev1.ResourceFieldSelector, ofFile bool) {
	known := []string{"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
		"requests.ephemeral-storage", "requests.memory"}
	huge := strings.HasPrefix(s.Resource, "limits.hugepages-") || strings.HasPrefix(s.Resource, "requests.hugepages-")
	switch {
	case ofFile && s.ContainerName == "":
		r.add(field.Required(p.Child("containerName"), ""))
	case s.Resource == "":
		r.add(field.Required(p.Child("resource"), ""))
	case !huge && !slices.Contains(known, s.Resource):
		r.add(field.NotSupported(p.Child("resource"), s.Resource, known))
	}
	if s.Divisor.IsZero() {
		return
	}
	_, kind, _ := strings.Cut(s.Resource, ".")
	if kind == "cpu" {
		r.is(slices.Contains([]string{"1m", "1"}, s.Divisor.String()),
			field.Invalid(p.Child("divisor"), s.Resource, "only divisor's values 1m and 1 are supported with the cpu resource"))
		return
	}
	shown := map[string]string{"memory": "memory", "ephemeral-storage": "local ephemeral storage"}[kind]
	if huge {
		shown = "hugepages"
	}
	units := []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
	r.is(shown == "" || slices.Contains(units, s.Divisor.String()),
		field.Invalid(p.Child("divisor"), s.Resource, fmt.Sprintf("only divisor's values %s are supported with the %s "+
			"resource", strings.Join(units, ", "), shown)))
}
