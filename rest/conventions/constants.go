package conventions

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/internal/doc"
)

func constants(p *place) string {
	var all, wrong []string
	for _, value := range p.schema.Constraints().Enum {
		if text := value.Text(); value.Kind() == doc.String && text != "" {
			all = append(all, text)
		}
	}
	declared := p
	for declared.field == nil && declared.parent != nil {
		declared = declared.parent
	}
	if !slices.ContainsFunc(all, func(s string) bool { return !isMethod(s) }) {
		return ""
	}
	for _, text := range all {
		if !isConstant(text, all) && !isProperName(text, declared.name()) {
			wrong = append(wrong, strconv.Quote(text))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return "constants are CamelCase with an upper-case first letter, and only acronyms are in capitals, unless they are " +
		"proper names: " + strings.Join(wrong, ", ")
}

// isMethod reports whether a word is a method of HTTP, which the protocol writes in capitals.
func isMethod(word string) bool {
	return slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}, word)
}

// isConstant reports whether a value is a word in CamelCase. all are the values of the enumeration: a short word in
// capitals is no acronym beside long ones.
func isConstant(text string, all []string) bool {
	if !isUpperCamel(text) || mixedAcronym(text) != "" || slices.ContainsFunc(words(text), isShouted) {
		return false
	}
	w := lettersOf(text)
	isCapitals := len(w) > 1 && w == strings.ToUpper(w) && !isAcronym(w)
	return !isCapitals || !isEnglish.has(strings.ToLower(w)) && !slices.ContainsFunc(all, isShouted)
}

// isProperName reports whether a value is the name of a program, a product, a place or a standard, which keeps the form
// that its owner gave it. field is the name of the field that holds it.
func isProperName(text, field string) bool {
	first, _, _ := strings.Cut(text, "-")
	switch last := lastWord(field); {
	case programs.has(text), programs.has(first) && first != text, strings.HasPrefix(text, "SIG"): // a signal
		return true
	case strings.Contains(text, "/"), strings.Contains(text, ".") && !strings.ContainsAny(text, " _"):
		return isPrefixed(text) || unicode.IsDigit(rune(text[len(text)-1])) // a key, or a version of something
	case namesOwners.has(last):
		return !strings.ContainsAny(text, " _") && !isVocabulary(strings.ToLower(text)) && !isAcronym(text)
	case last == "version" || last == "release":
		return strings.ContainsAny(text, "0123456789")
	}
	return hasFormOfProgram(text)
}

// namesOwners are the last words of fields whose values others have named.
var namesOwners = setOf(`
	arch architecture charset codec command compiler compression country currency dialect distribution distro driver
	engine filesystem hypervisor interpreter language locale os platform provider provisioner region runtime shell
	timezone tool zone`)

// hasFormOfProgram reports whether a word has a form that English words do not have: small letters before a capital,
// letters around a digit, or one of the endings that programs have.
func hasFormOfProgram(text string) bool {
	if text == "" || !unicode.IsLower(rune(text[0])) || strings.ContainsAny(text, "-_ ") {
		return false
	}
	if text != strings.ToLower(text) {
		start := strings.IndexFunc(text, unicode.IsUpper)
		return start <= 2 && !isVocabulary(text[:start]) // eBPF, iSCSI, macOS
	}
	for _, end := range []string{"fs", "ctl", "sql", "tables", "ql"} {
		if stem, ok := strings.CutSuffix(text, end); ok && stem != "" && !isVocabulary(text) {
			return true
		}
	}
	if stem, ok := strings.CutSuffix(text, "d"); ok && len(stem) > 2 { // a daemon
		return !strings.ContainsAny(stem[len(stem)-1:], "aeiounlrw") && !isVocabulary(text)
	}
	return false
}

// programs are commands and products that are written in small letters.
var programs = setOf(`
	amd64 apache apparmor apt arm64 awk bash bazel btrfs buildah bzip2 calico cilium clang containerd cri-o cron
	crun curl dnf docker dpkg envoy etcd ext4 fish flannel fluentd gcc git go gradle grpc gvisor gzip haproxy helm
	ipset iptables ipvs java kafka kubectl kubelet kustomize linux lz4 lzma make maven md5 mongodb mysql nats
	nerdctl nftables nginx node npm openssl openvpn pacman pip podman postgres postgresql puppet python rabbitmq
	redis rkt rsync ruby runc rust sendmail sh sha1 sha256 sha512 snappy sqlite ssh squid strongswan sudo systemd
	tar terraform tmux traefik unbound upstart vault vim vxlan windows wireguard xfs xz yarn yum zfs zip zlib zsh
	zstd darwin freebsd macos android ios s390x ppc64le riscv64 x86 cgroupfs`)
