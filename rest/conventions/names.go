package conventions

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// nameRules returns the rules about the names of fields, and about reserved names.
func nameRules() []rule {
	return []rule{
		{name: RuleJSONName, section: sectionNames, place: onField(jsonName)},
		{name: RuleGoName, section: sectionNames, place: onField(goName)},
		{name: RuleDeclarative, section: sectionNames, place: onField(declarative)},
		{name: RuleTimeName, section: sectionNames, place: onField(timeName)},
		{name: RuleAbbreviation, section: sectionNames, place: onField(abbreviation)},
		{name: RuleAcronym, section: sectionNames, place: onField(acronym)},
		{name: RuleIsBool, section: sectionNames, place: onField(isBool)},
		{name: RuleReservedPrefix, section: sectionLabels, place: onPlace(reservedPrefix)},
	}
}

// words splits a name in camelCase: "podIPs" is pod and IPs, "httpGet" is http and Get.
func words(name string) []string {
	var out []string
	runes := []rune(name)
	from := 0
	cut := func(to int) {
		if to > from {
			out = append(out, string(runes[from:to]))
		}
		from = to
	}
	for i := 1; i < len(runes); i++ {
		before, at := unicode.IsUpper(runes[i-1]), unicode.IsUpper(runes[i])
		switch {
		case at && !before:
			cut(i)
		case !at && before && i-1 > from && !endsPlural(runes[i:]):
			cut(i - 1) // the last capital begins a word
		}
	}
	cut(len(runes))
	return out
}

// endsPlural reports whether the text behind capitals is the s of their plural.
func endsPlural(rest []rune) bool {
	return rest[0] == 's' && (len(rest) == 1 || unicode.IsUpper(rest[1]))
}

func jsonName(p *place) string {
	name := p.name()
	for i, r := range name {
		lower, upper, digit := 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9'
		if i == 0 && !lower || !lower && !upper && !digit {
			return "field names are camelCase in JSON: a lower-case first letter, then letters and digits only"
		}
	}
	return ""
}

func goName(p *place) string {
	if !strings.EqualFold(p.goField.Name, p.name()) {
		return fmt.Sprintf("is named %s in Go: both names should be equal apart from letter case", p.goField.Name)
	}
	return ""
}

func declarative(p *place) string {
	if words := words(p.name()); len(words) > 1 && !isTime(p) {
		switch last := words[len(words)-1]; last {
		case "By", "At":
			return fmt.Sprintf("describes an action: names are declarative, without %s at the end", last)
		}
	}
	return ""
}

func timeName(p *place) string {
	words := words(p.name())
	last := strings.ToLower(words[len(words)-1])
	switch {
	case last == "timestamp":
		return fmt.Sprintf("is named a stamp: name the time of something somethingTime, like %sTime",
			strings.Join(words[:len(words)-1], ""))
	case isTime(p) && last != "time":
		return fmt.Sprintf("is a time: name it somethingTime, not %s", p.name())
	}
	return ""
}

// abbreviations returns abbreviations that should be written out. The conventions allow well-known ones, such as id,
// args and stdin.
func abbreviations() map[string]string {
	return map[string]string{
		"addr": "address", "cfg": "config", "cmd": "command", "cnt": "count", "conf": "config", "ctrl": "controller",
		"ctx":  "context",
		"desc": "description", "dest": "destination", "dst": "destination", "freq": "frequency", "grp": "group",
		"idx": "index",
		"img": "image", "len": "length", "mem": "memory", "mgr": "manager", "msg": "message", "ns": "namespace",
		"num":    "number or count",
		"passwd": "password", "pct": "percent", "prio": "priority", "pw": "password", "pwd": "password", "qty": "quantity",
		"req": "request", "resp": "response", "sec": "seconds", "secs": "seconds", "src": "source", "svc": "service",
		"tmp": "temporary",
		"usr": "user", "val": "value", "vol": "volume",
	}
}

func abbreviation(p *place) string {
	known := abbreviations()
	for _, w := range words(p.name()) {
		if whole := known[strings.ToLower(w)]; whole != "" {
			return fmt.Sprintf("%q is an abbreviation: write out %s", w, whole)
		}
	}
	return ""
}

// acronyms returns the known acronyms, whose letters must all have the same case.
func acronyms() map[string]bool {
	out := map[string]bool{}
	for _, a := range strings.Fields(`API ARN AWS CIDR CPU CRD CSI DNS FQDN GCP GPU GRPC HTML HTTP HTTPS IAM ID IP JSON JWT LDAP MTU
		NAT NFS OIDC OS PVC RBAC RPC SCTP SMTP SQL SSH SSL TCP TLS TTL UDP UI UID URI URL UUID VM VPC VPN XML YAML`) {
		out[a] = true
	}
	return out
}

// mixedAcronym returns a word of a name that is an acronym in mixed case.
func mixedAcronym(name string) string {
	known := acronyms()
	for _, w := range words(name) {
		stem := w
		if singular := strings.TrimSuffix(w, "s"); known[strings.ToUpper(singular)] && !known[strings.ToUpper(w)] {
			stem = singular
		}
		if known[strings.ToUpper(stem)] && stem != strings.ToUpper(stem) && stem != strings.ToLower(stem) {
			return w
		}
	}
	return ""
}

func acronym(p *place) string {
	w := mixedAcronym(p.name())
	if w == "" {
		return ""
	}
	return fmt.Sprintf("%q is an acronym: all its letters must have the same case", w)
}

func isBool(p *place) string {
	if words := words(p.name()); p.schema.Type == schema.BooleanType && len(words) > 1 && words[0] == "is" {
		plain := strings.TrimPrefix(p.name(), "is")
		return fmt.Sprintf("a boolean is named after its property alone: %s", strings.ToLower(plain[:1])+plain[1:])
	}
	return ""
}

// reservedPrefix looks for reserved names in the defaults and constants of a definition.
func reservedPrefix(p *place) string {
	for _, value := range append([]doc.Value{p.schema.DefaultValue}, p.schema.Constraints().Enum...) {
		text := value.Text()
		switch domain, _, isKey := strings.Cut(text, "/"); {
		case value.Kind() != doc.String:
		case isKey && isReserved(domain):
			return fmt.Sprintf("%q has a prefix that is reserved for Kubernetes: use a domain that you own", text)
		case lastWord(p.name()) == "namespace" && strings.HasPrefix(text, "kube-"):
			return fmt.Sprintf("%q begins with kube-, which is reserved for the namespaces of Kubernetes itself", text)
		}
	}
	return ""
}
