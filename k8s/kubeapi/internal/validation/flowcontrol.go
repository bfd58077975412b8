package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
)

func (r *report) flowSchema(obj *flowcontrolv1.FlowSchema) {
	p, name, s := field.NewPath("spec"), obj.Name, &obj.Spec
	precedence := p.Child("matchingPrecedence")
	r.is(s.MatchingPrecedence > 0, field.Invalid(precedence, s.MatchingPrecedence, "must be a positive value"))
	r.is(s.MatchingPrecedence <= 10000, field.Invalid(precedence, s.MatchingPrecedence, "must not be greater than 10000"))
	r.is(s.MatchingPrecedence != 1 || name == "exempt",
		field.Invalid(precedence, s.MatchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
	if m := s.DistinguisherMethod; m != nil && m.Type != flowcontrolv1.FlowDistinguisherMethodByNamespaceType &&
		m.Type != flowcontrolv1.FlowDistinguisherMethodByUserType {
		r.add(field.NotSupported(p.Child("distinguisherMethod", "type"), *m,
			[]flowcontrolv1.FlowDistinguisherMethodType{flowcontrolv1.FlowDistinguisherMethodByNamespaceType,
				flowcontrolv1.FlowDistinguisherMethodByUserType}))
	}
	level := p.Child("priorityLevelConfiguration", "name")
	r.is(s.PriorityLevelConfiguration.Name != "", field.Required(level, "must reference a priority level"))
	r.optional(level, s.PriorityLevelConfiguration.Name, validation.IsDNS1123Subdomain)
	for i := range s.Rules {
		r.flowRule(p.Child("rules").Index(i), &s.Rules[i])
	}
	for _, fixed := range flowcontrol.MandatoryFlowSchemas() {
		r.is(fixed.Name != name || sameJSON(fixed.Spec, s),
			field.Invalid(p, *s, fmt.Sprintf("spec of '%s' must equal the fixed value", name)))
	}
}

// sameJSON reports whether two values are the same in JSON.
func sameJSON(a, b any) bool {
	decoded := func(v any) (out any) {
		text, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil {
			return err
		}
		return out
	}
	return reflect.DeepEqual(decoded(a), decoded(b))
}

func (r *report) flowRule(p *field.Path, rule *flowcontrolv1.PolicyRulesWithSubjects) {
	r.is(len(rule.Subjects) > 0, field.Required(p.Child("subjects"), "subjects must contain at least one value"))
	for i := range rule.Subjects {
		r.flowSubject(p.Child("subjects").Index(i), &rule.Subjects[i])
	}
	r.is(len(rule.ResourceRules)+len(rule.NonResourceRules) > 0,
		field.Required(p, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	for i, rule := range rule.ResourceRules {
		p := p.Child("resourceRules").Index(i)
		r.flowVerbs(p.Child("verbs"), rule.Verbs)
		r.starAlone(p.Child("apiGroups"), rule.APIGroups, "resource rules must supply at least one api group", "api groups")
		r.starAlone(p.Child("resources"), rule.Resources, "resource rules must supply at least one resource", "resources")
		r.flowNamespaces(p.Child("namespaces"), rule)
	}
	for i, rule := range rule.NonResourceRules {
		p := p.Child("nonResourceRules").Index(i)
		r.flowVerbs(p.Child("verbs"), rule.Verbs)
		urls := p.Child("nonResourceURLs")
		r.starAlone(urls, rule.NonResourceURLs, "nonResourceURLs must contain at least one value", "non-resource URLs")
		for j, url := range rule.NonResourceURLs {
			if problem := urlProblem(url); problem != "" && !slices.Contains(rule.NonResourceURLs, "*") {
				r.add(field.Invalid(urls.Index(j), url, problem))
			}
		}
	}
}

// flowSubject checks that a subject has what its kind names, and nothing else.
func (r *report) flowSubject(p *field.Path, s *flowcontrolv1.Subject) {
	kinds := []flowcontrolv1.SubjectKind{flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount,
		flowcontrolv1.SubjectKindUser}
	if !slices.Contains(kinds, s.Kind) {
		r.add(field.NotSupported(p.Child("kind"), s.Kind, kinds))
		return
	}
	for _, m := range []struct {
		kind flowcontrolv1.SubjectKind
		name string
		set  bool
	}{
		{flowcontrolv1.SubjectKindServiceAccount, "serviceAccount", s.ServiceAccount != nil},
		{flowcontrolv1.SubjectKindUser, "user", s.User != nil}, {flowcontrolv1.SubjectKindGroup, "group", s.Group != nil},
	} {
		at := p.Child(m.name)
		if m.kind == s.Kind {
			r.is(m.set, field.Required(at, fmt.Sprintf("%s is required when subject kind is '%s'", m.name, m.kind)))
		} else {
			r.is(!m.set, field.Forbidden(at, fmt.Sprintf("%s is forbidden when subject kind is not '%s'", m.name, m.kind)))
		}
	}
	switch a := s.ServiceAccount; {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil:
		r.given(p.Child("user", "name"), s.User.Name)
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil:
		r.given(p.Child("group", "name"), s.Group.Name)
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && a != nil:
		p = p.Child("serviceAccount")
		if r.given(p.Child("name"), a.Name) && a.Name != "*" {
			r.follows(p.Child("name"), a.Name, validation.IsDNS1123Subdomain)
		}
		r.is(a.Namespace != "", field.Required(p.Child("namespace"), "must specify namespace for service account"))
		r.optional(p.Child("namespace"), a.Namespace, validation.IsDNS1123Label)
	}
}

// flowVerbs checks the verbs of a rule: those of requests for resources, or "*".
func (r *report) flowVerbs(p *field.Path, verbs []string) {
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	r.starAlone(p, verbs, "verbs must contain at least one value", "verbs")
	unknown := slices.ContainsFunc(verbs, func(verb string) bool { return !slices.Contains(known, verb) })
	if unknown && !slices.Contains(verbs, "*") {
		r.add(field.NotSupported(p, verbs, known))
	}
}

// starAlone checks a list that must not be empty. "*" stands for all values, so others beside it are wrong.
func (r *report) starAlone(p *field.Path, list []string, empty, others string) {
	r.is(len(list) > 0, field.Required(p, empty))
	r.is(len(list) <= 1 || !slices.Contains(list, "*"), field.Invalid(p, list,
		"if '*' is present, must not specify other "+others))
}

func (r *report) flowNamespaces(p *field.Path, rule flowcontrolv1.ResourcePolicyRule) {
	if len(rule.Namespaces) == 0 {
		r.is(rule.ClusterScope, field.Required(p, "resource rules that are not cluster scoped must supply at least one "+
			"namespace"))
		return
	}
	r.starAlone(p, rule.Namespaces, "", "namespaces")
	if slices.Contains(rule.Namespaces, "*") {
		return
	}
	for i, name := range rule.Namespaces {
		for _, message := range validation.IsDNS1123Label(name) {
			r.add(field.Invalid(p.Index(i), name, "each member of this list must be '*' or a DNS-1123 label; "+message))
		}
	}
}

// urlProblem returns the fault of a path, which may end in "/*".
func urlProblem(url string) string {
	stars := strings.Count(url, "*")
	switch {
	case url == "":
		return "must not be empty"
	case url == "/":
		return ""
	case !strings.HasPrefix(url, "/"):
		return "must start with slash"
	case strings.Contains(url, " "):
		return "must not contain white-space"
	case strings.Contains(url, "//"):
		return "must not contain double slash"
	case stars > 1 || stars == 1 && !strings.HasSuffix(url, "/*"):
		return "wildcard can only do suffix matching"
	}
	return ""
}

func (r *report) priorityLevel(obj *flowcontrolv1.PriorityLevelConfiguration) {
	p, name, s := field.NewPath("spec"), obj.Name, &obj.Spec
	const exempt, limited = flowcontrolv1.PriorityLevelEnablementExempt, flowcontrolv1.PriorityLevelEnablementLimited
	r.is((name == "exempt") == (s.Type == exempt), field.Invalid(p.Child("type"), s.Type,
		"must be 'Exempt' if and only if `name` is 'exempt'"))
	oneOf(r, p.Child("type"), s.Type, exempt, limited)
	switch s.Type {
	case exempt:
		r.is(s.Limited == nil, field.Forbidden(p.Child("limited"), "must be nil if the type is not Limited"))
		if e := s.Exempt; e != nil {
			p := p.Child("exempt")
			r.is(e.NominalConcurrencyShares == nil || *e.NominalConcurrencyShares >= 0,
				field.Invalid(p.Child("nominalConcurrencyShares"), e.NominalConcurrencyShares, "must be a non-negative integer"))
			r.lendable(p.Child("lendablePercent"), e.LendablePercent)
		}
	case limited:
		r.is(s.Exempt == nil, field.Forbidden(p.Child("exempt"), "must be nil if the type is Limited"))
		if s.Limited == nil {
			r.add(field.Required(p.Child("limited"), "must not be empty when type is Limited"))
			return
		}
		r.limitedLevel(p.Child("limited"), s.Limited)
	}
	for _, fixed := range flowcontrol.MandatoryPriorityLevelConfigurations() {
		differs := fixed.Name == name && name != flowcontrol.Exempt && !sameJSON(fixed.Spec, s)
		r.is(!differs, field.Invalid(p, *s, fmt.Sprintf("spec of '%s' must equal the fixed value", name)))
	}
}

func (r *report) lendable(p *field.Path, percent *int32) {
	r.is(percent == nil || *percent >= 0 && *percent <= 100, field.Invalid(p, percent,
		"must be between 0 and 100, inclusive"))
}

func (r *report) limitedLevel(p *field.Path, l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
	r.is(l.NominalConcurrencyShares == nil || *l.NominalConcurrencyShares >= 0,
		field.Invalid(p.Child("nominalConcurrencyShares"), l.NominalConcurrencyShares, "must be a non-negative integer"))
	r.lendable(p.Child("lendablePercent"), l.LendablePercent)
	r.is(l.BorrowingLimitPercent == nil || *l.BorrowingLimitPercent >= 0,
		field.Invalid(p.Child("borrowingLimitPercent"), l.BorrowingLimitPercent,
			"if specified, must be a non-negative integer"))
	p = p.Child("limitResponse")
	queuing, q := p.Child("queuing"), l.LimitResponse.Queuing
	oneOf(r, p.Child("type"), l.LimitResponse.Type, flowcontrolv1.LimitResponseTypeQueue,
		flowcontrolv1.LimitResponseTypeReject)
	switch l.LimitResponse.Type {
	case flowcontrolv1.LimitResponseTypeReject:
		r.is(q == nil, field.Forbidden(queuing, "must be nil if limited.limitResponse.type is not Limited"))
	case flowcontrolv1.LimitResponseTypeQueue:
		if q == nil {
			r.add(field.Required(queuing, "must not be empty if limited.limitResponse.type is Limited"))
			return
		}
		r.queues(queuing, q)
	}
}

// queues checks that requests can be dealt to queues: a hand must leave enough bits of a hash.
func (r *report) queues(p *field.Path, q *flowcontrolv1.QueuingConfiguration) {
	const most, bits = 10_000_000, 60
	r.is(q.QueueLengthLimit > 0, field.Invalid(p.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive"))
	r.is(q.Queues > 0, field.Invalid(p.Child("queues"), q.Queues, "must be positive"))
	r.is(q.Queues <= most, field.Invalid(p.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", most)))
	hand := p.Child("handSize")
	needed := math.Ceil(math.Log2(float64(q.Queues)) * float64(q.HandSize))
	switch {
	case q.HandSize <= 0:
		r.add(field.Invalid(hand, q.HandSize, "must be positive"))
	case q.HandSize > q.Queues:
		r.add(field.Invalid(hand, q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
	case needed > bits:
		r.add(field.Invalid(hand, q.HandSize, fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not "+
			"be greater than %d", q.Queues, q.HandSize, bits)))
	}
}

func (r *report) flowSchemaStatus(obj *flowcontrolv1.FlowSchema) {
	r.flowConditions(typesOf(obj.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) string {
		return string(c.Type)
	}))
}

func (r *report) priorityLevelStatus(obj *flowcontrolv1.PriorityLevelConfiguration) {
	r.flowConditions(typesOf(obj.Status.Conditions, func(c flowcontrolv1.PriorityLevelConfigurationCondition) string {
		return string(c.Type)
	}))
}

// typesOf returns the types of conditions.
func typesOf[C any](conditions []C, of func(C) string) []string {
	types := make([]string, 0, len(conditions))
	for _, c := range conditions {
		types = append(types, of(c))
	}
	return types
}

// flowConditions checks that each type of the conditions of a status occurs once.
func (r *report) flowConditions(types []string) {
	p := field.NewPath("status", "conditions")
	seen := map[string]bool{}
	for i, t := range types {
		r.distinct(p.Index(i).Child("type"), t, seen)
		r.given(p.Index(i).Child("type"), t)
	}
}
