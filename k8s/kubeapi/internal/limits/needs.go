package limits

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/status"
)

// need selects objects that a quota must count. The plug-in refuses such an object if no quota counts it.
type need struct {
	APIGroup string `json:"apiGroup"`
	Resource string `json:"resource"`
	// MatchContains are parts of the names of what the objects use.
	MatchContains []string `json:"matchContains"`
	// MatchScopes are scopes of Pods and claims. They apply to any Resource.
	MatchScopes []corev1.ScopedResourceSelectorRequirement `json:"matchScopes"`
}

type needs []need

// needsIn reads a configuration.
func needsIn(text []byte) (needs, error) {
	var config struct {
		APIVersion       string `json:"apiVersion"`
		Kind             string `json:"kind"`
		LimitedResources needs  `json:"limitedResources"`
	}
	if text == nil {
		return nil, nil
	}
	err := pluginconfig.Decode(text, pluginconfig.Strict, &config,
		schema.GroupVersionKind{Group: "apiserver.config.k8s.io", Version: "v1", Kind: "ResourceQuotaConfiguration"},
		schema.GroupVersionKind{Group: "resourcequota.admission.k8s.io", Version: "v1beta1", Kind: "Configuration"},
		schema.GroupVersionKind{Group: "resourcequota.admission.k8s.io", Version: "v1alpha1", Kind: "Configuration"})
	if err != nil {
		return nil, err
	}
	var errs field.ErrorList
	for i, n := range config.LimitedResources {
		if n.Resource == "" {
			errs = append(errs, field.Required(field.NewPath("limitedResources").Index(i).Child("resource"), ""))
		}
	}
	return config.LimitedResources, errs.ToAggregate()
}

// check refuses a change that needs a quota and has none.
func (n needs) check(of apimeta.GroupResource, c *change, quotas []*corev1.ResourceQuota) error {
	if len(n) == 0 {
		return nil
	}
	scopes, err := n.scopes(c)
	if err != nil {
		return err
	}
	var counting []*corev1.ResourceQuota
	for _, q := range quotas {
		in, err := c.concerns(q)
		if err != nil {
			return err
		}
		if in {
			counting = append(counting, q)
		}
	}
	if !c.grows(counting) {
		return nil
	}
	if missing := n.uncovered(of, c, counting); len(missing) > 0 {
		return fmt.Errorf("insufficient quota to consume: %s", textOf(missing))
	}
	for _, q := range quotas {
		named, err := c.in(scopesOf(q))
		if err != nil {
			return err
		}
		scopes = slices.DeleteFunc(scopes, func(s corev1.ScopedResourceSelectorRequirement) bool {
			return slices.ContainsFunc(named,
				func(has corev1.ScopedResourceSelectorRequirement) bool { return has.ScopeName == s.ScopeName })
		})
	}
	if len(scopes) > 0 { // kube-apiserver answers 500, too
		return status.Generic(http.StatusInternalServerError,
			fmt.Sprintf("insufficient quota to match these scopes: %v", scopes))
	}
	return nil
}

// scopes returns the scopes of the new object for which the configuration demands a quota.
func (n needs) scopes(c *change) (found []corev1.ScopedResourceSelectorRequirement, err error) {
	for _, one := range n {
		in, err := c.in(one.MatchScopes)
		if err != nil {
			return nil, err
		}
		found = append(found, in...)
	}
	return found, nil
}

// in returns those of the scopes that contain the new object.
func (c *change) in(scopes []corev1.ScopedResourceSelectorRequirement) (
	found []corev1.ScopedResourceSelectorRequirement, err error) {
	if c.inScope == nil {
		return nil, nil
	}
	for _, s := range scopes {
		in, err := c.inScope(c.obj, s)
		if err != nil {
			return nil, err
		}
		if in {
			found = append(found, s)
		}
	}
	return found, nil
}

// grows reports whether the new object uses more than the old one, as at least one of the quotas counts it. If no quota
// counts the object, grows compares the whole usage.
func (c *change) grows(counting []*corev1.ResourceQuota) bool {
	if len(counting) == 0 {
		return len(c.growth(c.usage(c.obj), func(any) bool { return true })) > 0
	}
	return slices.ContainsFunc(counting,
		func(q *corev1.ResourceQuota) bool { return len(c.growth(c.usage(c.obj), c.countedBy(q))) > 0 })
}

// uncovered returns what the new object uses and needs a quota for, although none of the given quotas limits it.
func (n needs) uncovered(of apimeta.GroupResource, c *change,
	counting []*corev1.ResourceQuota) (missing []corev1.ResourceName) {
	usage := c.usage(c.obj)
	for _, name := range sortedNames(usage) {
		used := usage[name]
		needed := slices.ContainsFunc(n, func(one need) bool {
			return of == (apimeta.GroupResource{Group: one.APIGroup, Resource: one.Resource}) &&
				slices.ContainsFunc(one.MatchContains, func(part string) bool { return strings.Contains(string(name), part) })
		})
		covered := slices.ContainsFunc(counting,
			func(q *corev1.ResourceQuota) bool { return slices.Contains(c.limited(q), name) })
		if used.Sign() > 0 && needed && !covered {
			missing = append(missing, name)
		}
	}
	return missing
}
