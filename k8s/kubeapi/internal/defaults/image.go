package defaults

import (
	"regexp"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// pullPolicyOr returns the policy, or the default for the image if the policy is empty.
func pullPolicyOr(policy corev1.PullPolicy, image string) corev1.PullPolicy {
	if policy != "" {
		return policy
	}
	return pullPolicy(image)
}

// pullPolicy returns Always for the tag latest, which an image without tag and digest has, and else IfNotPresent. It
// returns IfNotPresent for a text that is not the name of an image as well.
func pullPolicy(image string) corev1.PullPolicy {
	parts := imageName().FindStringSubmatch(image)
	if parts == nil || hexID().MatchString(image) {
		return corev1.PullIfNotPresent
	}
	name, tag, digest := parts[1], parts[2], parts[3]
	if !isRepository(name) || digest != "" && !isDigest(digest) {
		return corev1.PullIfNotPresent
	}
	if tag == "latest" || tag == "" && digest == "" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// isRepository reports whether a name without tag and digest has a lower-case path of at most 255 characters. The first
// part is the domain of a registry if it can be nothing else.
func isRepository(name string) bool {
	path := name
	if first, rest, ok := strings.Cut(name, "/"); ok &&
		(strings.ContainsAny(first, ".:") || first == "localhost" || strings.ToLower(first) != first) {
		path = rest
	} else if !ok {
		path = "library/" + name
	}
	return len(path) <= 255 && strings.ToLower(path) == path
}

// isDigest reports whether a digest has an algorithm that registries support, and its length.
func isDigest(digest string) bool {
	algorithm, sum, _ := strings.Cut(digest, ":")
	return len(sum) == map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}[algorithm] && strings.ToLower(sum) == sum
}

// imageName matches the name of an image: domain and path, tag, and digest.
var imageName = sync.OnceValue(func() *regexp.Regexp {
	const (
		label  = `(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])`
		domain = `(?:` + label + `(?:\.` + label + `)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`
		part   = `[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`
		tag    = `\w[\w.-]{0,127}`
		digest = `[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`
	)
	return regexp.MustCompile(`^((?:` + domain + `/)?` + part + `(?:/` + part + `)*)(?::(` + tag + `))?(?:@(` + digest +
		`))?$`)
})

// hexID matches the identifier of an image, which is not a name.
var hexID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-f0-9]{64}$`) })
