package validation

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The limits of the names that a Pod looks up in DNS.
const (
	mostNameservers   = 3
	mostSearchPaths   = 32
	longestSearchList = 2048
)

// dns checks where a Pod looks up names.
func (r *report) dns(p *field.Path, s *corev1.PodSpec) {
	config := s.DNSConfig
	if s.DNSPolicy == corev1.DNSNone {
		if config == nil {
			r.add(field.Required(p, "must provide `dnsConfig` when `dnsPolicy` is None"))
			return
		}
		if len(config.Nameservers) == 0 {
			r.add(field.Required(p.Child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None"))
			return
		}
	}
	if config == nil {
		return
	}
	servers, searches := p.Child("nameservers"), p.Child("searches")
	r.is(len(config.Nameservers) <= mostNameservers,
		field.Invalid(servers, config.Nameservers, "must not have more than 3 nameservers"))
	for i, server := range config.Nameservers {
		r.ip(servers.Index(i), server)
	}
	r.is(len(config.Searches) <= mostSearchPaths,
		field.Invalid(searches, config.Searches, "must not have more than 32 search paths"))
	r.is(len(strings.Join(config.Searches, " ")) <= longestSearchList, field.Invalid(searches, config.Searches,
		"must not have more than 2048 characters (including spaces) in the search list"))
	for i, search := range config.Searches {
		if search != "." {
			r.follows(searches.Index(i), strings.TrimSuffix(search, "."), validation.IsDNS1123SubdomainWithUnderscore)
		}
	}
	for i, option := range config.Options {
		r.is(option.Name != "", field.Required(p.Child("options").Index(i), "must not be empty"))
	}
}

// hostname checks the name that a Pod has instead of its own.
func (r *report) hostname(p *field.Path, s *corev1.PodSpec) {
	if s.HostnameOverride == nil {
		return
	}
	r.is(s.SetHostnameAsFQDN == nil || !*s.SetHostnameAsFQDN,
		field.Forbidden(p, "may not be specified when setHostnameAsFQDN is true"))
	r.is(!s.HostNetwork, field.Forbidden(p, "may not be specified when hostNetwork is true"))
	r.is(len(*s.HostnameOverride) <= 64, field.TooLong(p, "", 64))
	r.follows(p, *s.HostnameOverride, validation.IsDNS1123Subdomain)
}

// hostUsers checks that a Pod with users of its own does not share other namespaces with its node.
func (r *report) hostUsers(p *field.Path, s *corev1.PodSpec) {
	if s.HostUsers == nil || *s.HostUsers {
		return
	}
	const apart = "when `hostUsers` is false"
	r.absent(p, apart, member{"hostNetwork", s.HostNetwork}, member{"HostPID", s.HostPID}, member{"HostIPC", s.HostIPC})
	eachContainer(p, s, func(p *field.Path, c *corev1.Container) {
		r.is(len(c.VolumeDevices) == 0, field.Forbidden(p.Child("volumeDevices"), apart))
	})
}

// eachContainer calls f with the containers of all kinds of a Pod.
func eachContainer(p *field.Path, s *corev1.PodSpec, f func(p *field.Path, c *corev1.Container)) {
	for i := range s.InitContainers {
		f(p.Child("initContainers").Index(i), &s.InitContainers[i])
	}
	for i := range s.Containers {
		f(p.Child("containers").Index(i), &s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		c := corev1.Container(s.EphemeralContainers[i].EphemeralContainerCommon)
		f(p.Child("ephemeralContainers").Index(i), &c)
	}
}

// claims checks which devices a Pod gets.
func (r *report) claims(p *field.Path, claims []corev1.PodResourceClaim) {
	names := map[string]bool{}
	for i, c := range claims {
		p := p.Index(i)
		if r.given(p.Child("name"), c.Name) {
			twice := names[c.Name]
			if r.distinct(p.Child("name"), c.Name, names); !twice {
				r.follows(p.Child("name"), c.Name, validation.IsDNS1123Label)
			}
		}
		claim, template := c.ResourceClaimName, c.ResourceClaimTemplateName
		r.is(claim == nil || template == nil,
			field.Invalid(p, c, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		r.is(claim != nil || template != nil,
			field.Invalid(p, c, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		if claim != nil {
			r.follows(p.Child("resourceClaimName"), *claim, validation.IsDNS1123Subdomain)
		}
		if template != nil {
			r.follows(p.Child("resourceClaimTemplateName"), *template, validation.IsDNS1123Subdomain)
		}
	}
}

// schedulingGroup checks with which Pods a Pod is scheduled.
func (r *report) schedulingGroup(p *field.Path, g *corev1.PodSchedulingGroup) {
	switch {
	case g == nil:
	case g.PodGroupName == nil:
		r.add(field.Invalid(p.Child("podGroupName"), g.PodGroupName, "must specify one of: `podGroupName`"))
	default:
		r.follows(p.Child("podGroupName"), *g.PodGroupName, validation.IsDNS1123Subdomain)
	}
}

// filesOfVariables checks that the files from which variables come are in a volume that a container fills.
func (r *report) filesOfVariables(p *field.Path, s *corev1.PodSpec) {
	volumes := map[string]*corev1.Volume{}
	for i := range s.Volumes {
		volumes[s.Volumes[i].Name] = &s.Volumes[i]
	}
	eachContainer(p, s, func(p *field.Path, c *corev1.Container) {
		for i, v := range c.Env {
			if v.ValueFrom == nil || v.ValueFrom.FileKeyRef == nil {
				continue
			}
			name := v.ValueFrom.FileKeyRef.VolumeName
			at := p.Child("env").Index(i).Child("valueFrom", "fileKeyRef", "volumeName")
			volume := volumes[name]
			r.is(volume != nil, field.NotFound(at, name))
			r.is(volume == nil || volume.EmptyDir != nil,
				field.Invalid(at, name, "referenced volume must be of type emptyDir"))
		}
	})
}
