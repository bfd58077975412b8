package validation

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podSecurity checks what the containers of a Pod may do, and the identities that they get.
func (r *report) podSecurity(p *field.Path, s *corev1.PodSpec, c *corev1.PodSecurityContext) {
	r.user(p.Child("runAsUser"), c.RunAsUser)
	r.group(p.Child("runAsGroup"), c.RunAsGroup)
	r.group(p.Child("fsGroup"), c.FSGroup)
	for i := range c.SupplementalGroups {
		r.group(p.Child("supplementalGroups").Index(i), &c.SupplementalGroups[i])
	}
	if share := s.ShareProcessNamespace; share != nil {
		r.is(!*share || !s.HostPID, field.Invalid(p.Child("shareProcessNamespace"), *share,
			"ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	r.sysctls(p.Child("sysctls"), s, c.Sysctls)
	optionalOneOf(r, p.Child("fsGroupChangePolicy"), c.FSGroupChangePolicy, corev1.FSGroupChangeAlways,
		corev1.FSGroupChangeOnRootMismatch)
	r.seccomp(p.Child("seccompProfile"), c.SeccompProfile)
	r.windowsOptions(p.Child("windowsOptions"), c.WindowsOptions)
	r.appArmor(p.Child("appArmorProfile"), c.AppArmorProfile)
	optionalOneOf(r, p.Child("supplementalGroupsPolicy"), c.SupplementalGroupsPolicy, corev1.SupplementalGroupsPolicyMerge,
		corev1.SupplementalGroupsPolicyStrict)
	optionalOneOf(r, p.Child("seLinuxChangePolicy"), c.SELinuxChangePolicy, corev1.SELinuxChangePolicyMountOption,
		corev1.SELinuxChangePolicyRecursive)
}

// containerSecurity checks what one container may do.
func (r containerRules) containerSecurity(p *field.Path, c *corev1.SecurityContext) {
	r.user(p.Child("runAsUser"), c.RunAsUser)
	r.group(p.Child("runAsGroup"), c.RunAsGroup)
	if mount := c.ProcMount; mount != nil {
		supported(r.report, p.Child("procMount"), *mount, corev1.DefaultProcMount, corev1.UnmaskedProcMount)
		apart := r.pod.HostUsers != nil && !*r.pod.HostUsers
		r.is(apart || *mount != corev1.UnmaskedProcMount, field.Invalid(p.Child("procMount"), *mount,
			"`hostUsers` must be false to use `Unmasked`"))
	}
	r.seccomp(p.Child("seccompProfile"), c.SeccompProfile)
	r.windowsOptions(p.Child("windowsOptions"), c.WindowsOptions)
	if escalation := c.AllowPrivilegeEscalation; escalation != nil && !*escalation {
		r.is(c.Privileged == nil || !*c.Privileged, field.Invalid(p, c, "cannot set `allowPrivilegeEscalation` to false "+
			"and `privileged` to true"))
		r.is(c.Capabilities == nil || !slices.Contains(c.Capabilities.Add, "CAP_SYS_ADMIN"),
			field.Invalid(p, c, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
	}
	r.appArmor(p.Child("appArmorProfile"), c.AppArmorProfile)
}

func (r *report) user(p *field.Path, id *int64) {
	if id != nil {
		for _, message := range validation.IsValidUserID(*id) {
			r.add(field.Invalid(p, *id, message))
		}
	}
}

func (r *report) group(p *field.Path, id *int64) {
	if id != nil {
		for _, message := range validation.IsValidGroupID(*id) {
			r.add(field.Invalid(p, *id, message))
		}
	}
}

const (
	maxSysctl     = 253
	sysctlSegment = `[a-z0-9]([-_a-z0-9]*[a-z0-9])?`
	sysctlForm    = `^(` + sysctlSegment + `[\./])*` + sysctlSegment + `$`
)

var sysctlName = regexp.MustCompile(sysctlForm)

// sysctls checks parameters of the kernel. Those of a namespace that the Pod shares with its node belong to the node.
func (r *report) sysctls(p *field.Path, s *corev1.PodSpec, list []corev1.Sysctl) {
	names := map[string]bool{}
	for i := range list {
		name, p := list[i].Name, p.Index(i).Child("name")
		switch {
		case name == "":
			r.add(field.Required(p, ""))
		case len(name) > maxSysctl || !sysctlName.MatchString(name):
			r.add(field.Invalid(p, name, fmt.Sprintf("must have at most %d characters and match regex %s", maxSysctl,
				sysctlForm)))
		default:
			r.distinct(p, name, names)
		}
		if !r.existing {
			r.is(!s.HostNetwork || !ofNetwork(name), field.Invalid(p, name, "may not be specified when 'hostNetwork' is true"))
			r.is(!s.HostIPC || !ofIPC(name), field.Invalid(p, name, "may not be specified when 'hostIPC' is true"))
		}
	}
}

// ofNetwork and ofIPC report whether a parameter belongs to the namespace of the network, or of the communication
// between processes.
func ofNetwork(sysctl string) bool { return strings.HasPrefix(dotted(sysctl), "net.") }

func ofIPC(sysctl string) bool {
	switch sysctl = dotted(sysctl); sysctl {
	case "kernel.sem", "kernel.shm", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced",
		"kernel.msg", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni":
		return true
	}
	return strings.HasPrefix(sysctl, "fs.mqueue.")
}

// dotted returns the name of a parameter with dots between its segments. In a name that uses slashes, dots belong to
// the segments.
func dotted(sysctl string) string {
	if i := strings.IndexAny(sysctl, "./"); i < 0 || sysctl[i] == '.' {
		return sysctl
	}
	return strings.NewReplacer(".", "/", "/", ".").Replace(sysctl)
}

func (r *report) seccomp(p *field.Path, s *corev1.SeccompProfile) {
	if s == nil {
		return
	}
	if s.Type == "" {
		r.add(field.Required(p.Child("type"), "type is required when seccompProfile is set"))
	} else {
		supported(r, p.Child("type"), s.Type, corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeRuntimeDefault,
			corev1.SeccompProfileTypeUnconfined)
	}
	file := s.LocalhostProfile
	p = p.Child("localhostProfile")
	switch {
	case s.Type != corev1.SeccompProfileTypeLocalhost:
		r.is(file == nil, field.Invalid(p, s, "can only be set when seccomp type is Localhost"))
	case file == nil:
		r.add(field.Required(p, "must be set when seccomp type is Localhost"))
	default:
		r.is(!path.IsAbs(*file), field.Invalid(p, *file, "must be a relative path"))
		r.is(!stepsBack(*file), field.Invalid(p, *file, "must not contain '..'"))
	}
}

// stepsBack reports whether a path contains the segment "..".
func stepsBack(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

// maxAppArmor limits the name of a profile of AppArmor, which is a path.
const maxAppArmor = 4095

func (r *report) appArmor(p *field.Path, a *corev1.AppArmorProfile) {
	if a == nil {
		return
	}
	if a.Type == "" {
		r.add(field.Required(p.Child("type"), "type is required when appArmorProfile is set"))
		return
	}
	supported(r, p.Child("type"), a.Type, corev1.AppArmorProfileTypeLocalhost, corev1.AppArmorProfileTypeRuntimeDefault,
		corev1.AppArmorProfileTypeUnconfined)
	name := a.LocalhostProfile
	p = p.Child("localhostProfile")
	switch {
	case a.Type == corev1.AppArmorProfileTypeRuntimeDefault || a.Type == corev1.AppArmorProfileTypeUnconfined:
		r.is(name == nil, field.Invalid(p, name, "can only be set when AppArmor type is Localhost"))
	case a.Type != corev1.AppArmorProfileTypeLocalhost:
	case name == nil || *name == "":
		r.add(field.Required(p, "must be set when AppArmor type is Localhost"))
	default:
		r.is(strings.TrimSpace(*name) == *name, field.Invalid(p, *name, "must not be padded with whitespace"))
		r.is(len(*name) <= maxAppArmor, field.TooLong(p, "", maxAppArmor))
	}
}
