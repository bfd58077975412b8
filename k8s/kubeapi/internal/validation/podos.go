package validation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podOS checks that a Pod has only what its operating system knows.
func (r *report) podOS(p *field.Path, s *corev1.PodSpec) {
	switch {
	case s.OS == nil:
	case s.OS.Name == "":
		r.add(field.Required(p.Child("os", "name"), ""))
	case s.OS.Name == corev1.Linux:
		const detail = "windows options cannot be set for a linux pod"
		if c := s.SecurityContext; c != nil {
			r.absent(p.Child("securityContext"), detail, member{"windowsOptions", c.WindowsOptions != nil})
		}
		eachContainer(p, s, func(p *field.Path, c *corev1.Container) {
			if c := c.SecurityContext; c != nil {
				r.absent(p.Child("securityContext"), detail, member{"windowsOptions", c.WindowsOptions != nil})
			}
		})
	case s.OS.Name == corev1.Windows:
		r.windows(p, s)
	default:
		supported(r, p.Child("os"), s.OS.Name, corev1.Linux, corev1.Windows)
	}
}

func (r *report) windows(p *field.Path, s *corev1.PodSpec) {
	const detail = "cannot be set for a windows pod"
	r.absent(p, detail, member{"hostUsers", s.HostUsers != nil}, member{"hostPID", s.HostPID},
		member{"hostIPC", s.HostIPC}, member{"shareProcessNamespace", s.ShareProcessNamespace != nil})
	if c := s.SecurityContext; c != nil {
		r.absent(p.Child("securityContext"), detail,
			member{"appArmorProfile", c.AppArmorProfile != nil}, member{"seLinuxOptions", c.SELinuxOptions != nil},
			member{"seccompProfile", c.SeccompProfile != nil}, member{"fsGroup", c.FSGroup != nil},
			member{"fsGroupChangePolicy", c.FSGroupChangePolicy != nil}, member{"sysctls", len(c.Sysctls) > 0},
			member{"runAsUser", c.RunAsUser != nil}, member{"runAsGroup", c.RunAsGroup != nil},
			member{"supplementalGroups", c.SupplementalGroups != nil},
			member{"supplementalGroupsPolicy", c.SupplementalGroupsPolicy != nil},
			member{"seLinuxChangePolicy", c.SELinuxChangePolicy != nil})
	}
	eachContainer(p, s, func(p *field.Path, container *corev1.Container) {
		if c := container.SecurityContext; c != nil {
			r.absent(p.Child("securityContext"), detail,
				member{"appArmorProfile", c.AppArmorProfile != nil}, member{"seLinuxOptions", c.SELinuxOptions != nil},
				member{"seccompProfile", c.SeccompProfile != nil}, member{"capabilities", c.Capabilities != nil},
				member{"readOnlyRootFilesystem", c.ReadOnlyRootFilesystem != nil}, member{"privileged", c.Privileged != nil},
				member{"allowPrivilegeEscalation", c.AllowPrivilegeEscalation != nil}, member{"procMount", c.ProcMount != nil},
				member{"runAsUser", c.RunAsUser != nil}, member{"runAsGroup", c.RunAsGroup != nil})
		}
	})
}

// hostProcesses checks that all containers of a Pod run as processes of a Windows node if one does.
func (r *report) hostProcesses(p *field.Path, s *corev1.PodSpec) {
	var ofPod *bool
	if c := s.SecurityContext; c != nil && c.WindowsOptions != nil {
		ofPod = c.WindowsOptions.HostProcess
	}
	all, some := true, false
	eachContainer(p, s, func(p *field.Path, container *corev1.Container) {
		own := ofPod
		if c := container.SecurityContext; c != nil && c.WindowsOptions != nil && c.WindowsOptions.HostProcess != nil {
			own = c.WindowsOptions.HostProcess
			r.is(ofPod == nil || *ofPod == *own,
				field.Invalid(p.Child("securityContext", "windowsOptions", "hostProcess"), *own,
					fmt.Sprintf("pod hostProcess value must be identical if both are specified, was %v", ofPod != nil && *ofPod)))
		}
		if own != nil && *own {
			some = true
		} else {
			all = false
		}
	})
	if !some {
		return
	}
	r.is(all, field.Invalid(p, "", "If pod contains any hostProcess containers then all containers must be HostProcess "+
		"containers"))
	r.is(s.HostNetwork, field.Invalid(p.Child("hostNetwork"), false, "hostNetwork must be true if pod contains any "+
		"hostProcess containers"))
}

// The forms of the names of users of Windows.
var (
	controlCharacters = regexp.MustCompile(`[[:cntrl:]]`)
	userDomainInDNS   = regexp.MustCompile(`^` + userDomainLabel + `(\.` + userDomainLabel + `)*$`)
)

const userDomainLabel = `[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`

// isNetBIOS reports whether a text is the name of a domain in NetBIOS.
func isNetBIOS(name string) bool {
	n := utf8.RuneCountInString(name)
	return n >= 1 && n <= 15 && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, `\/:*?"<>|`)
}

// windowsOptions checks the identity of a container on Windows.
func (r *report) windowsOptions(p *field.Path, o *corev1.WindowsSecurityContextOptions) {
	if o == nil {
		return
	}
	if name := o.GMSACredentialSpecName; name != nil {
		r.follows(p.Child("gmsaCredentialSpecName"), *name, validation.IsDNS1123Subdomain)
	}
	if spec := o.GMSACredentialSpec; spec != nil {
		at := p.Child("gmsaCredentialSpec")
		r.is(*spec != "", field.Invalid(at, spec, "gmsaCredentialSpec cannot be an empty string"))
		r.is(len(*spec) <= 64<<10, field.Invalid(at, spec, "gmsaCredentialSpec size must be under 64 KiB"))
	}
	if name := o.RunAsUserName; name != nil {
		r.windowsUser(p.Child("runAsUserName"), *name)
	}
}

func (r *report) windowsUser(p *field.Path, name string) {
	is := func(ok bool, detail string) { r.is(ok, field.Invalid(p, name, "runAsUserName"+detail)) }
	switch {
	case name == "":
		is(false, " cannot be an empty string")
		return
	case controlCharacters.MatchString(name):
		is(false, " cannot contain control characters")
		return
	case strings.Count(name, `\`) > 1:
		is(false, " cannot contain more than one backslash")
		return
	}
	domain, user, hasDomain := strings.Cut(name, `\`)
	if !hasDomain {
		domain, user = "", name
	}
	is(len(domain) < 256, "'s Domain length must be under 256 characters")
	is(!hasDomain || isNetBIOS(domain) || userDomainInDNS.MatchString(domain),
		"'s Domain doesn't match the NetBios nor the DNS format")
	is(user != "", "'s User cannot be empty")
	is(len(user) <= 104, "'s User length must not be longer than 104 characters")
	is(user == "" || strings.Trim(user, ". ") != "", "'s User cannot contain only periods or spaces")
	is(!strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`),
		`'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
}
