package podsecurity

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	configapi "k8s.io/pod-security-admission/admission/api"
	"k8s.io/pod-security-admission/admission/api/load"
	"k8s.io/pod-security-admission/admission/api/validation"
	"k8s.io/pod-security-admission/api"

	"github.com/decorum-go/decorum/rest/admission"
)

// config is what an operator has configured.
type config struct {
	// defaults holds for what the labels of a namespace leave open.
	defaults api.Policy
	exempt   configapi.PodSecurityExemptions
}

// configIn reads a PodSecurityConfiguration, or returns the default one if text is nil.
func configIn(text []byte) (c config, err error) {
	read, err := load.LoadFromData(text)
	if err != nil {
		return c, err
	}
	if c.defaults, err = configapi.ToPolicy(read.Defaults); err != nil {
		return c, fmt.Errorf("%s configuration error: %w", Name, err)
	}
	c.exempt = read.Exemptions
	if errs := validation.ValidatePodSecurityConfiguration(read); len(errs) > 0 {
		return c, fmt.Errorf("%s invalid: %w", Name, errs.ToAggregate())
	}
	return c, nil
}

// exempts reports whether the user or the namespace of a write exempts it from all checks.
func (c config) exempts(r *admission.Request) bool {
	return c.exemptsNamespace(r.Namespace) || slices.Contains(c.exempt.Usernames, r.User.Name)
}

func (c config) exemptsNamespace(name string) bool { return slices.Contains(c.exempt.Namespaces, name) }

// exemptsRuntime reports whether the RuntimeClass of a Pod exempts it from all checks.
func (c config) exemptsRuntime(spec *corev1.PodSpec) bool {
	return spec.RuntimeClassName != nil && slices.Contains(c.exempt.RuntimeClasses, *spec.RuntimeClassName)
}

// warnOfExemption warns the client of labels of an exempt namespace, which have no effect.
func (c config) warnOfExemption(r *admission.Request, p api.Policy, labels map[string]string) {
	if !c.exemptsNamespace(r.Name) || p.FullyPrivileged() || p.Equivalent(&c.defaults) {
		return
	}
	var asked []string
	for _, mode := range []struct {
		name           string
		of             api.LevelVersion
		level, version string
	}{
		{"enforce", p.Enforce, api.EnforceLevelLabel, api.EnforceVersionLabel},
		{"audit", p.Audit, api.AuditLevelLabel, api.AuditVersionLabel},
		{"warn", p.Warn, api.WarnLevelLabel, api.WarnVersionLabel},
	} {
		_, hasLevel := labels[mode.level]
		_, hasVersion := labels[mode.version]
		if mode.of.Level != api.LevelPrivileged && (hasLevel || hasVersion) {
			asked = append(asked, mode.name+"="+mode.of.String())
		}
	}
	r.Warn(fmt.Sprintf("namespace %q is exempt from Pod Security, and the policy (%s) will be ignored", r.Name,
		strings.Join(asked, ", ")))
}
