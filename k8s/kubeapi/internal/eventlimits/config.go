package eventlimits

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
)

// limit is one limit of a configuration.
type limit struct {
	Type      string `json:"type"`
	QPS       int32  `json:"qps"`
	Burst     int32  `json:"burst"`
	CacheSize int32  `json:"cacheSize"`
}

// The types of limits. Each but ofServer counts several sorts of Events apart.
const (
	ofServer    = "Server"
	ofNamespace = "Namespace"
	ofUser      = "User"
	ofSource    = "SourceAndObject"
)

var configKind = schema.GroupVersionKind{Group: "eventratelimit.admission.k8s.io", Version: "v1alpha1",
	Kind: "Configuration"}

// limitsIn returns the limits of a configuration, which must have one.
func limitsIn(text []byte) ([]limit, error) {
	var config struct {
		Limits []limit `json:"limits"`
	}
	if text != nil {
		if err := pluginconfig.Decode(text, pluginconfig.Lenient, &config, configKind); err != nil {
			return nil, err
		}
	}
	return config.Limits, check(config.Limits).ToAggregate()
}

func check(limits []limit) (errs field.ErrorList) {
	all := field.NewPath("limits")
	if len(limits) == 0 {
		errs = append(errs, field.Invalid(all, limits, "must not be empty"))
	}
	for i, l := range limits {
		p := all.Index(i)
		switch l.Type {
		case ofServer, ofNamespace, ofUser, ofSource:
		default:
			errs = append(errs, field.NotSupported(p.Child("type"), l.Type, []string{ofServer, ofNamespace, ofUser, ofSource}))
		}
		for _, number := range []struct {
			name  string
			value int32
		}{{"burst", l.Burst}, {"qps", l.QPS}} {
			if number.value <= 0 {
				errs = append(errs, field.Invalid(p.Child(number.name), number.value, "must be positive"))
			}
		}
		if l.Type != ofServer && l.CacheSize < 0 {
			errs = append(errs, field.Invalid(p.Child("cacheSize"), l.CacheSize, "must not be negative"))
		}
	}
	return errs
}
