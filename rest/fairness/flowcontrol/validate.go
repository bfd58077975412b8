package flowcontrol

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

const (
	maxPrecedence = 10000
	maxQueues     = 10_000_000
	// maxHandBits is how many bits of a hash the choice of the queues of a flow may need.
	maxHandBits = 60
)

// check returns err unless it holds.
func check(holds bool, err *status.FieldError) status.FieldErrors {
	if holds {
		return nil
	}
	return status.FieldErrors{err}
}

// Validate returns the errors of a FlowSchema, in the words of kube-apiserver.
func (s *FlowSchema) Validate() status.FieldErrors {
	at := status.NewPath("spec")
	precedence, level := at.Child("matchingPrecedence"), at.Child("priorityLevelConfiguration").Child("name")
	n := s.Spec.MatchingPrecedence
	errs := slices.Concat(
		check(n > 0, status.InvalidField(precedence, n, "must be a positive value")),
		check(n <= maxPrecedence, status.InvalidField(precedence, n,
			fmt.Sprintf("must not be greater than %d", maxPrecedence))),
		check(n != 1 || s.Name == Exempt,
			status.InvalidField(precedence, n, "only the schema named 'exempt' may have matchingPrecedence 1")),
	)
	if m := s.Spec.DistinguisherMethod; m != nil && m.Type != ByUser && m.Type != ByNamespace {
		errs = append(errs, status.NotSupportedField(at.Child("distinguisherMethod").Child("type"), *m,
			[]string{ByNamespace, ByUser}))
	}
	if name := s.Spec.PriorityLevelConfiguration.Name; name == "" {
		errs = append(errs, status.RequiredField(level, "must reference a priority level"))
	} else {
		errs = append(errs, follows(level, name, apimeta.ValidateDNS1123Subdomain)...)
	}
	for i := range s.Spec.Rules {
		errs = append(errs, s.Spec.Rules[i].validate(at.Child("rules").Index(i))...)
	}
	for _, fixed := range MandatoryFlowSchemas() {
		if fixed.Name == s.Name && !reflect.DeepEqual(fixed.Spec, s.Spec) {
			errs = append(errs, isFixed(at, s.Spec, s.Name))
		}
	}
	return append(errs, validateConditions(s.Status.Conditions)...)
}

// follows returns an error for each message of a rule about names.
func follows(at *status.Path, name string, rule func(string) []string) (errs status.FieldErrors) {
	for _, message := range rule(name) {
		errs = append(errs, status.InvalidField(at, name, message))
	}
	return errs
}

func isFixed(at *status.Path, spec any, name string) *status.FieldError {
	return status.InvalidField(at, spec, fmt.Sprintf("spec of '%s' must equal the fixed value", name))
}

func (r *PolicyRulesWithSubjects) validate(at *status.Path) (errs status.FieldErrors) {
	if len(r.Subjects) == 0 {
		errs = append(errs, status.RequiredField(at.Child("subjects"), "subjects must contain at least one value"))
	}
	for i := range r.Subjects {
		errs = append(errs, r.Subjects[i].validate(at.Child("subjects").Index(i))...)
	}
	if len(r.ResourceRules)+len(r.NonResourceRules) == 0 {
		errs = append(errs, status.RequiredField(at, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	}
	for i := range r.ResourceRules {
		errs = append(errs, r.ResourceRules[i].validate(at.Child("resourceRules").Index(i))...)
	}
	for i := range r.NonResourceRules {
		errs = append(errs, r.NonResourceRules[i].validate(at.Child("nonResourceRules").Index(i))...)
	}
	return errs
}

// validate checks that a subject has what its kind names, and nothing else.
func (s *Subject) validate(at *status.Path) (errs status.FieldErrors) {
	kinds := []string{GroupKind, ServiceAccountKind, UserKind}
	if !slices.Contains(kinds, s.Kind) {
		return status.FieldErrors{status.NotSupportedField(at.Child("kind"), s.Kind, kinds)}
	}
	for _, member := range []struct {
		kind, field string
		set         bool
	}{
		{ServiceAccountKind, "serviceAccount", s.ServiceAccount != nil}, {UserKind, "user", s.User != nil},
		{GroupKind, "group", s.Group != nil},
	} {
		switch at := at.Child(member.field); {
		case member.kind == s.Kind && !member.set:
			errs = append(errs,
				status.RequiredField(at, fmt.Sprintf("%s is required when subject kind is '%s'", member.field, member.kind)))
		case member.kind != s.Kind && member.set:
			errs = append(errs,
				status.ForbiddenField(at, fmt.Sprintf("%s is forbidden when subject kind is not '%s'", member.field, member.kind)))
		}
	}
	switch {
	case s.Kind == UserKind && s.User != nil:
		errs = append(errs, check(s.User.Name != "", status.RequiredField(at.Child("user").Child("name"), ""))...)
	case s.Kind == GroupKind && s.Group != nil:
		errs = append(errs, check(s.Group.Name != "", status.RequiredField(at.Child("group").Child("name"), ""))...)
	case s.Kind == ServiceAccountKind && s.ServiceAccount != nil:
		errs = append(errs, s.ServiceAccount.validate(at.Child("serviceAccount"))...)
	}
	return errs
}

func (s *ServiceAccountSubject) validate(at *status.Path) (errs status.FieldErrors) {
	switch s.Name {
	case "":
		errs = append(errs, status.RequiredField(at.Child("name"), ""))
	case all:
	default:
		errs = append(errs, follows(at.Child("name"), s.Name, apimeta.ValidateDNS1123Subdomain)...)
	}
	if s.Namespace == "" {
		return append(errs, status.RequiredField(at.Child("namespace"), "must specify namespace for service account"))
	}
	return append(errs, follows(at.Child("namespace"), s.Namespace, apimeta.ValidateDNS1123Label)...)
}

func (r *ResourcePolicyRule) validate(at *status.Path) status.FieldErrors {
	errs := slices.Concat(
		validateVerbs(at.Child("verbs"), r.Verbs),
		starAlone(at.Child("apiGroups"), r.APIGroups, "resource rules must supply at least one api group", "api groups"),
		starAlone(at.Child("resources"), r.Resources, "resource rules must supply at least one resource", "resources"),
	)
	namespaces := at.Child("namespaces")
	if len(r.Namespaces) == 0 {
		return append(errs, check(r.ClusterScope,
			status.RequiredField(namespaces,
				"resource rules that are not cluster scoped must supply at least one namespace"))...)
	}
	errs = append(errs, starAlone(namespaces, r.Namespaces, "", "namespaces")...)
	if slices.Contains(r.Namespaces, all) {
		return errs
	}
	for i, name := range r.Namespaces {
		for _, message := range apimeta.ValidateDNS1123Label(name) {
			errs = append(errs, status.InvalidField(namespaces.Index(i), name,
				"each member of this list must be '*' or a DNS-1123 label; "+message))
		}
	}
	return errs
}

func (r *NonResourcePolicyRule) validate(at *status.Path) status.FieldErrors {
	urls := at.Child("nonResourceURLs")
	errs := append(validateVerbs(at.Child("verbs"), r.Verbs),
		starAlone(urls, r.NonResourceURLs, "nonResourceURLs must contain at least one value", "non-resource URLs")...)
	for i, url := range r.NonResourceURLs {
		if problem := urlProblem(url); problem != "" && !slices.Contains(r.NonResourceURLs, all) {
			errs = append(errs, status.InvalidField(urls.Index(i), url, problem))
		}
	}
	return errs
}

func validateVerbs(at *status.Path, verbs []string) status.FieldErrors {
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	errs := starAlone(at, verbs, "verbs must contain at least one value", "verbs")
	unknown := slices.ContainsFunc(verbs, func(verb string) bool { return !slices.Contains(known, verb) })
	if unknown && !slices.Contains(verbs, all) {
		errs = append(errs, status.NotSupportedField(at, verbs, known))
	}
	return errs
}

// starAlone checks a list that must not be empty. "*" stands for all values, so others beside it are wrong.
func starAlone(at *status.Path, list []string, empty, others string) (errs status.FieldErrors) {
	if len(list) == 0 {
		errs = append(errs, status.RequiredField(at, empty))
	}
	if len(list) > 1 && slices.Contains(list, all) {
		errs = append(errs, status.InvalidField(at, list, "if '*' is present, must not specify other "+others))
	}
	return errs
}

// urlProblem returns what is wrong with a path, which may end in "/*".
func urlProblem(url string) string {
	stars := strings.Count(url, all)
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

// Validate returns the errors of a PriorityLevelConfiguration, in the words of kube-apiserver.
func (l *PriorityLevelConfiguration) Validate() status.FieldErrors {
	at, spec := status.NewPath("spec"), &l.Spec
	errs := check((l.Name == Exempt) == (spec.Type == TypeExempt),
		status.InvalidField(at.Child("type"), spec.Type, "must be 'Exempt' if and only if `name` is 'exempt'"))
	exempt, limited := spec.Type == TypeExempt, spec.Type == TypeLimited
	switch {
	case exempt && spec.Exempt != nil:
		errs = append(errs, validateShares(at.Child("exempt"), spec.Exempt.NominalConcurrencyShares,
			spec.Exempt.LendablePercent)...)
	case limited && spec.Limited != nil:
		errs = append(errs, spec.Limited.validate(at.Child("limited"))...)
	case spec.Type == "":
		errs = append(errs, status.RequiredField(at.Child("type"), ""))
	case !exempt && !limited:
		errs = append(errs, status.NotSupportedField(at.Child("type"), spec.Type, []string{TypeExempt, TypeLimited}))
	}
	errs = append(errs, check(exempt || spec.Exempt == nil, status.ForbiddenField(at.Child("exempt"), ""))...)
	errs = append(errs, check(limited || spec.Limited == nil, status.ForbiddenField(at.Child("limited"), ""))...)
	errs = append(errs, check(!limited || spec.Limited != nil, status.RequiredField(at.Child("limited"), ""))...)
	if spec.Limited != nil {
		errs = append(errs, spec.Limited.LimitResponse.validateParts(at.Child("limited", "limitResponse"))...)
	}
	if l.Name == CatchAll && !reflect.DeepEqual(l.Spec, MandatoryPriorityLevelConfigurations()[1].Spec) {
		errs = append(errs, isFixed(at, l.Spec, l.Name))
	}
	return append(errs, validateConditions(l.Status.Conditions)...)
}

func validateShares(at *status.Path, shares, lendable *int32) status.FieldErrors {
	n, lends := *cmp.Or(shares, new(int32)), *cmp.Or(lendable, new(int32))
	return append(check(n >= 0, status.InvalidField(at.Child("nominalConcurrencyShares"), n,
		"must be a non-negative integer")),
		check(lends >= 0 && lends <= 100,
			status.InvalidField(at.Child("lendablePercent"), lends, "must be between 0 and 100, inclusive"))...)
}

func (l *LimitedPriorityLevelConfiguration) validate(at *status.Path) status.FieldErrors {
	errs := validateShares(at, l.NominalConcurrencyShares, l.LendablePercent)
	if b := l.BorrowingLimitPercent; b != nil {
		errs = append(errs, check(*b >= 0,
			status.InvalidField(at.Child("borrowingLimitPercent"), *b, "if specified, must be a non-negative integer"))...)
	}
	at = at.Child("limitResponse")
	switch q := l.LimitResponse.Queuing; l.LimitResponse.Type {
	case TypeReject, "":
	case TypeQueue:
		if q != nil {
			errs = append(errs, q.validate(at.Child("queuing"))...)
		}
	default:
		errs = append(errs, status.NotSupportedField(at.Child("type"), l.LimitResponse.Type, []string{TypeQueue, TypeReject}))
	}
	return errs
}

// validateParts checks which members the response has. kube-apiserver also checks them in a level that is not limited.
func (r *LimitResponse) validateParts(at *status.Path) status.FieldErrors {
	queues, queuing := r.Type == TypeQueue, at.Child("queuing")
	return slices.Concat(
		check(r.Type != "", status.RequiredField(at.Child("type"), "")),
		check(queues || r.Queuing == nil, status.ForbiddenField(queuing, "")),
		check(!queues || r.Queuing != nil, status.RequiredField(queuing, "")),
	)
}

// validate checks that requests can be dealt to queues: the queues of a flow are chosen by the bits of one hash.
func (q *QueuingConfiguration) validate(at *status.Path) status.FieldErrors {
	errs := slices.Concat(
		check(q.QueueLengthLimit > 0,
			status.InvalidField(at.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive")),
		check(q.Queues > 0, status.InvalidField(at.Child("queues"), q.Queues, "must be positive")),
		check(q.Queues <= maxQueues,
			status.InvalidField(at.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", maxQueues))),
	)
	hand, bits := at.Child("handSize"), math.Ceil(math.Log2(float64(q.Queues))*float64(q.HandSize))
	switch {
	case q.HandSize <= 0:
		errs = append(errs, status.InvalidField(hand, q.HandSize, "must be positive"))
	case q.HandSize > q.Queues:
		errs = append(errs, status.InvalidField(hand, q.HandSize,
			fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
	case bits > maxHandBits:
		errs = append(errs, status.InvalidField(hand, q.HandSize,
			fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than %d", q.Queues,
				q.HandSize, maxHandBits)))
	}
	return errs
}

func validateConditions(conditions []Condition) (errs status.FieldErrors) {
	at := status.NewPath("status").Child("conditions")
	seen := map[string]bool{}
	for i, c := range conditions {
		if seen[c.Type] {
			errs = append(errs, status.DuplicateField(at.Index(i).Child("type"), c.Type))
		}
		errs = append(errs, check(c.Type != "", status.RequiredField(at.Index(i).Child("type"), ""))...)
		seen[c.Type] = true
	}
	return errs
}
