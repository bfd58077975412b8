package admissionregistration

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/clientconfig"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// webhook has the fields that both kinds of webhooks share.
type webhook struct {
	Name                              string
	ClientConfig                      *WebhookClientConfig
	Rules                             []RuleWithOperations
	FailurePolicy                     *FailurePolicyType
	MatchPolicy                       *MatchPolicyType
	NamespaceSelector, ObjectSelector *apimeta.LabelSelector
	SideEffects                       *SideEffectClass
	TimeoutSeconds                    *int32
	AdmissionReviewVersions           []string
	MatchConditions                   []MatchCondition
	ReinvocationPolicy                *ReinvocationPolicyType // nil for a validating webhook
}

func webhooksOf[W any](hooks []W, shared func(*W) webhook) []webhook {
	out := make([]webhook, len(hooks))
	for i := range hooks {
		out[i] = shared(&hooks[i])
	}
	return out
}

func (w *ValidatingWebhook) shared() webhook {
	return webhook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector,
		w.SideEffects,
		w.TimeoutSeconds, w.AdmissionReviewVersions, w.MatchConditions, nil}
}

func (w *MutatingWebhook) shared() webhook {
	return webhook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector,
		w.SideEffects,
		w.TimeoutSeconds, w.AdmissionReviewVersions, w.MatchConditions, w.ReinvocationPolicy}
}

// Validate checks a configuration. old is nil on create. compile returns the fault of a match condition. Match
// conditions that an update does not change are not checked again.
func (c *ValidatingWebhookConfiguration) Validate(old *ValidatingWebhookConfiguration,
	compile func(expression string) error) status.FieldErrors {
	var before []webhook
	if old != nil {
		before = webhooksOf(old.Webhooks, (*ValidatingWebhook).shared)
	}
	return validateWebhooks(webhooksOf(c.Webhooks, (*ValidatingWebhook).shared), before, compile)
}

// Validate checks a configuration, like that of [ValidatingWebhookConfiguration].
func (c *MutatingWebhookConfiguration) Validate(old *MutatingWebhookConfiguration,
	compile func(expression string) error) status.FieldErrors {
	var before []webhook
	if old != nil {
		before = webhooksOf(old.Webhooks, (*MutatingWebhook).shared)
	}
	return validateWebhooks(webhooksOf(c.Webhooks, (*MutatingWebhook).shared), before, compile)
}

// maxFaults limits how many faults of a configuration an answer names. A few bytes of a request can have a fault of a
// hundred bytes.
const maxFaults = 1000

func validateWebhooks(hooks, old []webhook, compile func(string) error) (errs status.FieldErrors) {
	if slices.EqualFunc(hooks, old, func(a, b webhook) bool {
		return slices.Equal(a.MatchConditions,
			b.MatchConditions)
	}) {
		compile = nil
	}
	names := map[string]bool{}
	for i := range hooks {
		h, at := &hooks[i], status.NewPath("webhooks").Index(i)
		errs = append(errs, h.validate(at, compile)...)
		if h.Name != "" && names[h.Name] {
			errs = append(errs, status.DuplicateField(at.Child("name"), h.Name))
		}
		names[h.Name] = true
		if len(errs) > maxFaults {
			return errs[:maxFaults]
		}
	}
	return errs
}

// validate checks one webhook. If compile is nil, it does not check the match conditions.
func (w *webhook) validate(at *status.Path, compile func(string) error) (errs status.FieldErrors) {
	errs = append(errs, validateWebhookName(at.Child("name"), w.Name)...)
	for i := range w.Rules {
		errs = append(errs, w.Rules[i].validate(at.Child("rules").Index(i))...)
	}
	errs = append(errs, supported(at.Child("failurePolicy"), w.FailurePolicy, Fail, Ignore)...)
	errs = append(errs, supported(at.Child("matchPolicy"), w.MatchPolicy, Equivalent, Exact)...)
	if w.SideEffects == nil {
		errs = append(errs, status.RequiredField(at.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
	}
	errs = append(errs, supported(at.Child("sideEffects"), w.SideEffects, SideEffectClassNone,
		SideEffectClassNoneOnDryRun)...)
	if t := w.TimeoutSeconds; t != nil && (*t < 1 || *t > 30) {
		errs = append(errs, status.InvalidField(at.Child("timeoutSeconds"), *t,
			"the timeout value must be between 1 and 30 seconds"))
	}
	errs = append(errs, validateBoundedSelector(at.Child("namespaceSelector"), w.NamespaceSelector)...)
	errs = append(errs, validateBoundedSelector(at.Child("objectSelector"), w.ObjectSelector)...)
	errs = append(errs, supported(at.Child("reinvocationPolicy"), w.ReinvocationPolicy, IfNeededReinvocationPolicy,
		NeverReinvocationPolicy)...)
	errs = append(errs, w.ClientConfig.validate(at.Child("clientConfig"))...)
	if compile != nil {
		errs = append(errs, validateMatchConditions(w.MatchConditions, at.Child("matchConditions"), compile)...)
	}
	versions := at.Child("admissionReviewVersions")
	if len(w.AdmissionReviewVersions) == 0 {
		return append(errs, status.RequiredField(versions, "must specify one of v1, v1beta1"))
	}
	return append(errs, clientconfig.ReviewVersions(w.AdmissionReviewVersions, false, versions)...)
}

// supported checks a value that may be missing.
func supported[T ~string](at *status.Path, value *T, allowed ...T) status.FieldErrors {
	if value == nil {
		return nil
	}
	return unsupported(at, *value, allowed...)
}

func validateWebhookName(at *status.Path, name string) status.FieldErrors {
	faults := apimeta.ValidateDNS1123Subdomain(name)
	switch {
	case name == "":
		return status.FieldErrors{status.RequiredField(at, "")}
	case len(faults) > 0:
		return status.FieldErrors{status.InvalidField(at, name, strings.Join(faults, ","))}
	case strings.Count(name, ".") < 2:
		return status.FieldErrors{status.InvalidField(at, name, "should be a domain with at least three segments separated "+
			"by dots")}
	}
	return nil
}

// validateBoundedSelector checks a selector that may be missing. A selector with more requirements than selectors of
// clients may have is refused as well, because it is evaluated for every write.
func validateBoundedSelector(at *status.Path, s *apimeta.LabelSelector) status.FieldErrors {
	if s == nil {
		return nil
	}
	if n := len(s.MatchLabels) + len(s.MatchExpressions); n > apimeta.MaxSelectorRequirements {
		return status.FieldErrors{status.TooManyField(at, n, apimeta.MaxSelectorRequirements)}
	}
	return objectmeta.ValidateSelector(s, at)
}

func (w *WebhookClientConfig) validate(at *status.Path) status.FieldErrors {
	switch {
	case (w.URL == nil) == (w.Service == nil):
		return status.FieldErrors{status.RequiredField(at, "exactly one of url or service is required")}
	case w.URL != nil:
		return clientconfig.URL(*w.URL, at.Child("url"))
	}
	return clientconfig.Service(*w.Service).Validate(at.Child("service"))
}
